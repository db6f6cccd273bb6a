"""How hard hypothesis tries: the same examples on every machine in `make test`, new ones in `make soak`."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

MODEST = settings(max_examples=200, derandomize=True, database=None, deadline=None, suppress_health_check=_SLOW_IS_FINE)
SOAK = settings(max_examples=20_000, deadline=None, suppress_health_check=_SLOW_IS_FINE)

# Shrinking a long story takes minutes; the soak does that.
EXPLORE = settings(MODEST, max_examples=80, stateful_step_count=45, phases=(Phase.explicit, Phase.generate))
EXPLORE_LONG = settings(SOAK, max_examples=3_000, stateful_step_count=120)
