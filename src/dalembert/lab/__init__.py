"""The lab: the living page with an editor of the model beside it, in a browser on this machine; and for assistants.

==============  ==================  ==================================================================================
for             file                what
==============  ==================  ==================================================================================
limits          ``limits``          how much may be asked, sent and used
workers         ``confined``        a process that opens, writes and starts nothing, within limits of time and memory
workers         ``looking``         what is wrong with a model, as one types
workers         ``working``         equations, claims, searches and motions
workers         ``inserting``       what was found, put into a model
workers         ``pool``            a few workers for many, each of which can be stopped and is replaced
doors           ``doors``           who may come in: host, origin, token and cookie; what a page may load
doors           ``messages``        what a browser may say
doors           ``sessions``        one open page: its looks, its job, what it is told
doors           ``application``     what the server answers
doors           ``server``          how it is started
assistants      ``assistants``      the same workers for assistants, by the Model Context Protocol
==============  ==================  ==================================================================================

Files for the browser are in ``web``: ``editor.js`` the editor, ``findings.js`` what is shown beside it, ``lab.js`` how
both talk to the server.
"""
