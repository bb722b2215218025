"""Machines stated by their parts: [frames], [points], [bodies], [joints], [contacts], and [forces] on them.

================  ==========================================================================================
"""
