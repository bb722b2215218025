from dalembert.mechanics.semisymplectic.reduction.data import SymmetricManifold as SymmetricManifold
from dalembert.mechanics.semisymplectic.reduction.data import largest_datum as largest_datum
from dalembert.mechanics.semisymplectic.reduction.data import reduction_datum as reduction_datum
from dalembert.mechanics.semisymplectic.reduction.reduced import reduced as reduced
from dalembert.mechanics.semisymplectic.semisymplectic import SemiHamiltonian as SemiHamiltonian
from dalembert.mechanics.semisymplectic.semisymplectic import derive as derive
