from dalembert.mechanics.reduced.formalism import derive as derive
from dalembert.mechanics.reduced.on_algebra import OnAlgebra as OnAlgebra
from dalembert.mechanics.reduced.reduced import Reduced as Reduced
