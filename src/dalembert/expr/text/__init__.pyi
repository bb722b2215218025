from dalembert.expr.text.parser import parse as parse
from dalembert.expr.text.parser import parse_equation as parse_equation
from dalembert.expr.text.printer import program as program
from dalembert.expr.text.printer import summary as summary
from dalembert.expr.text.printer import text as text
from dalembert.expr.text.scan import Limits as Limits
from dalembert.expr.text.scan import Source as Source
