from dalembert.expr.readers.balls import Balls as Balls
from dalembert.expr.readers.floats import Floats as Floats
from dalembert.expr.readers.rationals import Rationals as Rationals
