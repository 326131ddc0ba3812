"""When a series left its usual range."""

from typing import Final

import numpy as np

from analysis.measured.series import Floats

OUTSIDE: Final = 4.0  # sigmas; a robust sigma of few samples errs by a third, three would cry wolf
STAYS: Final = 0.5  # share of the samples after an onset that must lie outside too, or it was a blip


def onset(times: Floats, values: Floats, usual: float, scale: float, since: float) -> float | None:
    """The first time since `since` from which on most values lie outside usual +- OUTSIDE * scale, on one side."""
    late = times >= since
    at, deviation = times[late], (values[late] - usual) / scale
    for side in (1.0, -1.0):
        outside = side * deviation > OUTSIDE
        if not outside.any():
            continue
        stays = np.cumsum(outside[::-1])[::-1] / np.arange(len(outside), 0, -1)
        firm = np.flatnonzero(outside & (stays > STAYS))
        if len(firm):
            return float(at[firm[0]])
    return None
