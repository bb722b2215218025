from dalembert.analysis.extremals.conjugate_points import second_variation as second_variation
from dalembert.analysis.extremals.families import extremals as extremals
from dalembert.analysis.extremals.families import family_through as family_through
from dalembert.analysis.extremals.meetings import maxwell_time as maxwell_time
from dalembert.analysis.extremals.meetings import maxwell_times as maxwell_times
from dalembert.analysis.extremals.wave_fronts import wave_front as wave_front
