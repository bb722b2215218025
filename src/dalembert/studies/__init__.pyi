from dalembert.studies.checking import check as check
from dalembert.studies.studying import Study as Study
from dalembert.studies.studying import study as study
