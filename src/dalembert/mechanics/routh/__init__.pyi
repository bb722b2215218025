from dalembert.mechanics.routh.routh import Routh as Routh
from dalembert.mechanics.routh.routh import derive as derive
from dalembert.mechanics.routh.routh import derive_cases as derive_cases
from dalembert.mechanics.routh.wong_equations import Wong as Wong
from dalembert.mechanics.routh.wong_equations import wong as wong
from dalembert.mechanics.routh.wong_equations import wong_system as wong_system
