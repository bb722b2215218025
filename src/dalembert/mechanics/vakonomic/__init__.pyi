from dalembert.mechanics.vakonomic.abnormal_extremals import Abnormal as Abnormal
from dalembert.mechanics.vakonomic.abnormal_extremals import abnormal as abnormal
from dalembert.mechanics.vakonomic.densities import any_field as any_field
from dalembert.mechanics.vakonomic.densities import on_curve as on_curve
from dalembert.mechanics.vakonomic.initial_data import data_count as data_count
from dalembert.mechanics.vakonomic.restricted_variations import critical as critical
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic as Vakonomic
from dalembert.mechanics.vakonomic.vakonomic import derive as derive
