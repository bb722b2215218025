"""From the graph to machine code: expressions in, functions of arrays out.

===============  =================================================================
file             what
===============  =================================================================
``lanes``        arithmetic in LLVM's language, on one number or on several lanes
``writer``       a function in that language, line by line, with loops and choices
``reader``       what each operation of the graph becomes
``values``       expressions in a function, sines of many angles side by side
``fusing``       products that become one operation with a sum
``cutting``      long functions as several basic blocks
``ordering``     what is cut in an order that keeps a processor busy
``linear``       linear systems inside compiled functions
``elimination``  small ones, in an order that is fixed once
``pivoting``     large ones, with row exchanges
``assembling``   those with few entries, put together by a loop
``rates``        the right-hand side of equations of motion
``observe``      expressions along a motion: monitors, events
``bounds``       zeros of events on one step, where bounds settle them
``whole``        whether events are quiet on a whole step
``looks``        zeros by values at equal distances, and by halving
``machine``      LLVM: text in, functions out
===============  =================================================================
"""

from dalembert.numerics.compile.machine import Machine
from dalembert.numerics.compile.observe import Observer, observer

__all__ = ["Machine", "Observer", "observer"]
