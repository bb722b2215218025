from dalembert.mechanics.lagrangian import hamilton as hamilton
from dalembert.mechanics.lagrangian.euler_lagrange import EulerLagrange as EulerLagrange
from dalembert.mechanics.lagrangian.euler_lagrange import derive as derive
from dalembert.mechanics.lagrangian.hamilton import Hamilton as Hamilton
from dalembert.mechanics.lagrangian.kinetic_metric import kinetic_geometry as kinetic_geometry
