from dalembert.present.bibliography import bibtex as bibtex
from dalembert.present.bibliography import cited as cited
from dalembert.present.notebook import Film as Film
from dalembert.present.notebook import bundle as bundle
from dalembert.present.notebook import film as film
from dalembert.present.notebook import html_of as html_of
from dalembert.present.notebook import latex_of as latex_of
from dalembert.present.widget import live as live
