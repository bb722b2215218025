"""What all tests share: fixed examples from Hypothesis. The sweeps in ``long`` run only when they are named."""

from hypothesis import HealthCheck, settings

collect_ignore = ["long"]

settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fixed")
