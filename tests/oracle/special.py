# SPDX-License-Identifier: Apache-2.0
"""What NaN and infinities admit as O and log_sum_exp: rule 5, one situation of its table after the other.

An answer is one of the words "number" (what the finite visible keys give: a ball), "zero", "nan", "inf", "-inf". Each function returns
two sets, (must, may): answers that have to be accepted, and those that may be. The second is larger only where the
rules leave open whether a weight underflows, or are silent.
"""
import itertools
import math

from flint import arb

NUMBER, ZERO, NAN, PLUS, MINUS = "number", "zero", "nan", "inf", "-inf"
SURE_UNDERFLOW = {False: -150, True: -1100}  # log2 of a weight below the least f32, or double
POSSIBLE_UNDERFLOW = -8  # a weight that some format of weights (e4m3: 2^-9) may lose


def word(number):
    """The word of an answer."""
    if math.isnan(number):
        return NAN
    return (PLUS if number > 0 else MINUS) if math.isinf(number) else NUMBER


def same(answers):
    return set(answers), set(answers)


def row_kinds(head, i):
    """The words of the visible scores that are not finite."""
    return {word(kind) for kind in head.kind[i][head.visible[i]]} - {NUMBER}


def plain_row(head, i):
    """Whether a row's softmax is one of real numbers: scores finite, or -∞ beside finite ones; no NaN or +∞ in the sink."""
    if not head.visible[i].any():
        return True
    return row_kinds(head, i) <= {MINUS} and bool(head.keys_of[i]) and not head.sink_value == math.inf and not math.isnan(head.sink_value)


def log_sum_exp(head, i):
    kinds = row_kinds(head, i)
    sink = word(head.sink_value) if head.sink_value != -math.inf else NUMBER
    if not head.visible[i].any():
        return same({sink})
    if NAN in kinds or sink == NAN:
        return {NAN}, {NAN, PLUS} if PLUS in kinds or sink == PLUS else {NAN}
    if PLUS in kinds or sink == PLUS:
        return same({NAN, PLUS})
    if not head.keys_of[i]:  # all scores are -∞
        return {NUMBER}, {NUMBER, NAN}
    return same({NUMBER})


def out(head, weights, i, channel):
    if not head.visible[i].any():
        return same({NUMBER})
    kinds = row_kinds(head, i)
    if NAN in kinds or PLUS in kinds or math.isnan(head.sink_value):
        all_dropped = not head.kept[i][head.visible[i]].any()
        return same({NAN, ZERO} if all_dropped else {NAN})
    if head.sink_value == math.inf:
        return set(), {NAN, ZERO}
    values = [(j, float(head.value[j, channel])) for j in range(len(head.value))
              if head.visible[i, j] and not math.isfinite(head.value[j, channel])]
    if not head.keys_of[i]:  # all scores are -∞
        infinite = {word(v) for _, v in values} & {PLUS, MINUS}
        return ({NUMBER} if head.sink is not None and not values else {ZERO, NAN}), {ZERO, NAN} | infinite
    choices = [_choices(head, weights.p[i][j], i, j, v) for j, v in values]
    return tuple(_sums([choice[side] for choice in choices]) for side in (0, 1))


def _choices(head, weight, i, j, value):
    """What one visible value that is no number may add to a channel; NUMBER is nothing."""
    if not head.kept[i, j]:
        return same({NAN, NUMBER})
    if math.isnan(value):
        return same({NAN})
    without = {word(value), NAN, NUMBER}
    if weight.is_zero() or weight < arb((1, SURE_UNDERFLOW[head.problem.double])):
        return same(without)
    return {word(value)}, without if weight < arb((1, POSSIBLE_UNDERFLOW)) else {word(value)}


def _sums(choices):
    sums = set()
    for terms in itertools.product(*choices):
        present = set(terms) - {NUMBER}
        sums.add(NAN if NAN in present or len(present) > 1 else present.pop() if present else NUMBER)
    return sums
