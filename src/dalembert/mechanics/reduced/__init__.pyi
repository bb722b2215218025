from dalembert.mechanics.reduced.reduced import Reduced as Reduced
from dalembert.mechanics.reduced.reduced import derive as derive
