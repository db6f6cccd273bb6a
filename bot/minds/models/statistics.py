"""The statistics of an evaluation: pure functions, each estimate with its 95 % interval."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from bot.minds.models.agreement import Interval

Z = 1.96
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
      2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045)  # fmt: skip
"""Student's t by degrees of freedom, from 1."""


def wilson(hits: int, n: int) -> Interval:
    """A share with Wilson's interval, which is honest for few and for extreme counts."""
    if not n:
        return Interval(None)
    share = hits / n
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * ((share * (1 - share) + Z * Z / (4 * n)) / n) ** 0.5 / (1 + Z * Z / n)
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def mean_of(values: Sequence[float]) -> Interval:
    """A mean with Student's interval; of a single value without one."""
    n = len(values)
    if n < 2:
        return Interval(values[0] if values else None)
    half = (_T[n - 2] if n - 2 < len(_T) else Z) * stdev(values) / n**0.5
    middle = fmean(values)
    return Interval(middle, middle - half, middle + half)


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """How much more often two judges agree than chance would. None: nothing to tell, or all votes are alike."""
    if not pairs:
        return None
    n = len(pairs)
    ones, others = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    expected = sum(ones[vote] * others[vote] for vote in ones) / (n * n)
    return None if expected >= 1 else (sum(one == other for one, other in pairs) / n - expected) / (1 - expected)


def correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Pearson's r. None: fewer than three pairs, or one of the two never varies."""
    if len(pairs) < 3:
        return None
    x, y = fmean(one for one, _ in pairs), fmean(other for _, other in pairs)
    spread = sum((one - x) ** 2 for one, _ in pairs) * sum((other - y) ** 2 for _, other in pairs)
    return None if not spread else sum((one - x) * (other - y) for one, other in pairs) / spread**0.5


def alpha(ratings: Mapping[str, Sequence[float]]) -> float | None:
    """Krippendorff's alpha of ratings by item, on an interval scale; items with one rating do not count. None: nothing
    to tell, or all ratings are alike."""
    rated = [values for values in ratings.values() if len(values) > 1]
    every = [value for values in rated for value in values]
    if not every:
        return None
    observed = sum(_apart(values) / (len(values) - 1) for values in rated) / len(every)
    expected = _apart(every) / (len(every) * (len(every) - 1))
    return None if not expected else 1 - observed / expected


def grouped(pairs: Sequence[tuple[str, float]]) -> dict[str, list[float]]:
    """Values by name, in the order of the names."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for name, value in pairs:
        found[name].append(value)
    return dict(sorted(found.items()))


def _apart(values: Sequence[float]) -> float:
    """The sum of squared differences over all ordered pairs."""
    return 2 * (len(values) * sum(v * v for v in values) - sum(values) ** 2)
