"""Normal forms in the field of rational functions of coordinates, velocities, parameters and half angles."""

from dalembert.expr.field.meter import OutOfWork, TooLarge
from dalembert.expr.field.normal import normal, proved_zero, tidy
from dalembert.expr.field.quotients import Field, Quotient

__all__ = ["Field", "OutOfWork", "Quotient", "TooLarge", "normal", "proved_zero", "tidy"]
