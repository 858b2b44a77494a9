# SPDX-License-Identifier: Apache-2.0
"""Where a row's numbers leave the range in which the rules demand all: weights that may be exactly 0, and what may overflow."""
import functools
import math

import numpy as np
from flint import arb

from formats import FORMATS
from scores import finite

SCORE_LIMIT, UPSTREAM_LIMIT = 2.0**15, 2.0**100
MARGIN = 1 - 1e-9  # of sizes in doubles


def least_normal(name):
    return 2.0 ** FORMATS[name][1]


def log_least_weight(name):
    """The logarithm of the weight below which one may be exactly 0: the least normal number of the arithmetic, or the least
    subnormal one of the input format."""
    bits, least, _ = FORMATS[name]
    return max(-1022 if name == "f64" else -126, least - bits + 1) * math.log(2)


@functools.lru_cache(maxsize=64)
def sizes(head):
    """A of each row: the largest Σ|q k| max(1, |scale|) + |bias| of a visible pair, or |sink|."""
    with np.errstate(over="ignore"):
        pairs = abs(finite(head.query)) @ abs(finite(head.key)).T * max(1.0, abs(head.problem.scale))
        if head.added is not None:
            pairs = pairs + abs(finite(head.added))
    sink = abs(head.sink_value) if math.isfinite(head.sink_value) else 0.0
    return np.where(head.visible, pairs, 0.0).max(axis=1, initial=sink)


def may_vanish(head, i, size):
    """Which entries with finite scores may weigh exactly 0, by the weights of the finite entries: [keys] of booleans, and the sink."""
    result = np.zeros(len(head.key), dtype=bool)
    entries = head.keys_of[i] + ([-1] if head.sink is not None else [])
    if not entries:
        return result, False
    if (head.kind[i][head.visible[i]] == math.inf).any() or head.sink_value == math.inf:
        result[head.keys_of[i]] = True
        return result, head.sink is not None
    scores = {j: head.score_of(i, j) for j in entries}
    largest = max(scores.values(), key=float)
    gaps = {j: float((score - largest).mid()) for j, score in scores.items()}
    log_sum = float(sum((arb(gap).exp() for gap in gaps.values()), arb(0)).log().mid())
    slack = 1 + 2 * size * (2.0**-7 + (1.5 * head.problem.dim + 16) * 2.0**-22)
    vanishes = {j: gap - log_sum < log_least_weight(head.problem.input_format) + slack for j, gap in gaps.items()}
    for j in head.keys_of[i]:
        result[j] = vanishes[j]
    return result, vanishes.get(-1, False)


@functools.lru_cache(maxsize=64)
def upstream_overflows(head):
    """[queries, keys] of booleans: the pairs whose dP may leave the range."""
    with np.errstate(over="ignore"):
        return abs(finite(head.dout)) @ abs(finite(head.value)).T > UPSTREAM_LIMIT * MARGIN


@functools.lru_cache(maxsize=64)
def out_overflows(head):
    """[queries] of booleans: the rows whose O may leave the output format."""
    bits, _, greatest = FORMATS[head.problem.output_format]
    largest = 448.0 if head.problem.output_format == "e4m3" else ((1 << bits) - 1) * 2.0 ** (greatest - bits + 1)
    factor = 1 / (1 - head.problem.dropout) if head.problem.dropout < 1 else 0.0
    values = abs(finite(head.value)).max(axis=1, initial=0.0)
    return (head.visible * values).max(axis=1, initial=0.0) * factor > largest * MARGIN
