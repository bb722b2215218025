from dalembert.mechanics.second_order.search.field import field_of as field_of
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral as FirstIntegral
from dalembert.mechanics.second_order.search.first_integrals import find_first_integrals as find_first_integrals
from dalembert.mechanics.second_order.search.first_integrals import is_first_integral as is_first_integral
from dalembert.mechanics.second_order.search.symmetries import find_symmetries as find_symmetries
