# SPDX-License-Identifier: Apache-2.0
"""What NaN and infinities may make of a row's softmax, O and log_sum_exp in some order of evaluation: the steps of the rules, carried
out on sets of kinds (kinds.py)."""
import functools
import math
from dataclasses import dataclass

import numpy as np

import kinds
from kinds import MINUS, NAN, NUMBER, PLUS, POSITIVE, ZERO
from vanishing import least_normal, may_vanish, sizes


@dataclass
class Softmax:
    """One way to come by a row's weights P: the kinds of each pair's and of the sink's, and the entries that may be left out.
    logit: NaN, an infinity or 0 for each pair, its score before softcap."""
    weight: np.ndarray
    left_out: np.ndarray
    sink: int
    sink_left_out: bool
    logit: np.ndarray


def is_softmax_of_numbers(head, i):
    """Whether what has mass is finite: scores are numbers or -∞, and so is the sink."""
    return not (np.isnan(head.kind[i]) | (head.kind[i] == math.inf)).any() and (head.sink_value < math.inf)


def _scores_that_may_be_nan(head, i):
    """Pairs of an infinite factor and one that is subnormal in the input format, also after the scale, and may be read as 0."""
    least, scale = least_normal(head.problem.input_format), head.problem.scale

    def small(numbers):
        return (numbers != 0) & (abs(numbers) * min(1.0, abs(scale)) < least)

    query, key = head.query[i][None, :], head.key
    return (np.isinf(query) & small(key) | small(query) & np.isinf(key)).any(axis=1) & head.visible[i]


@functools.lru_cache(maxsize=64)
def softmaxes(head, i):
    """Every way to come by the weights of a row."""
    found = [*_softmaxes(head, i, head.kind[i], head.logit_kind[i])]
    nan = _scores_that_may_be_nan(head, i)
    if nan.any():
        found += _softmaxes(head, i, np.where(nan, math.nan, head.kind[i]), np.where(nan, math.nan, head.logit_kind[i]))
    return found


def _softmaxes(head, i, kind, logit):
    visible, sink = head.visible[i], head.sink_value
    finite = visible & (kind == 0)
    plus = visible & (kind == math.inf)
    minus = visible & (kind == -math.inf)
    vanishes, sink_vanishes = may_vanish(head, i, sizes(head)[i])
    vanishing = finite & vanishes
    above = plus.any() or sink == math.inf
    left_out = minus | (finite if above else vanishing)
    has_nan = (visible & np.isnan(kind)).any() or math.isnan(sink)
    if not has_nan:
        weight = kinds.where(visible, ZERO) | kinds.where(vanishing, ZERO)
        if above:
            weight = np.where(plus, NAN, weight)
        else:
            weight = np.where(finite, POSITIVE | kinds.where(vanishing, ZERO), weight)
        of_sink = NAN if sink == math.inf else ZERO if above or sink == -math.inf else POSITIVE | (ZERO if sink_vanishes else 0)
        yield Softmax(weight, left_out, of_sink, sink_vanishes, logit)
    if has_nan or above or minus.any():  # a maximum of NaN or ∞, or one of -∞ that meets no guard
        yield Softmax(kinds.where(visible, NAN), left_out, ZERO if sink == -math.inf else NAN, sink_vanishes, logit)


def log_sum_exp(head, i):
    """The set of a row's log_sum_exp; -∞ of a row without mass counts as its number."""
    visible, sink = head.visible[i], head.sink_value
    of_sink = int(kinds.of(sink)) if math.isnan(sink) or sink == math.inf else NUMBER
    if not visible.any():
        return of_sink if of_sink == NUMBER else of_sink | NAN
    nan = (visible & np.isnan(head.kind[i])).any() or of_sink == NAN
    plus = (visible & (head.kind[i] == math.inf)).any() or of_sink == PLUS
    minus = (visible & (head.kind[i] == -math.inf)).any()
    return NAN if nan else NAN | PLUS if plus else NUMBER | (NAN if minus or _scores_that_may_be_nan(head, i).any() else 0)


def out(head, i):
    """[value_dim] of sets: O of a row."""
    if not head.visible[i].any():
        beyond = math.isnan(head.sink_value) or head.sink_value == math.inf
        return np.full(head.problem.value_dim, ZERO | (NAN if beyond else 0), dtype=np.uint8)
    value = kinds.of(head.value)
    result = np.zeros(head.problem.value_dim, dtype=np.uint8)
    for way in softmaxes(head, i):
        weight = np.where(head.kept[i], way.weight, kinds.multiply(way.weight, ZERO))[:, None]
        terms = kinds.multiply(weight, value) | kinds.where(way.left_out | ~head.kept[i], ZERO)[:, None]
        result |= kinds.total(np.where(head.visible[i][:, None], terms, ZERO))
    return result
