# SPDX-License-Identifier: Apache-2.0
"""O and log_sum_exp of one head as balls at the present precision (rules 1, 4 and 7)."""
from fractions import Fraction

from flint import arb, arb_mat, fmpq

from scores import exactly, finite

ZERO, ONE = arb(0), arb(1)


def keep_factor(problem):
    """1/(1 - rate) of the exact double, as a rational number (0 where dropout drops everything)."""
    left = 1 - Fraction(problem.dropout)
    return fmpq(left.denominator, left.numerator) if left > 0 else fmpq(0)


@exactly
def _gaps(head, i, reference):
    return [head.score[i][j] - head.score_of(i, reference) for j in head.keys_of[i]] + (
        [head.sink - head.score_of(i, reference)] if head.sink is not None else [])


def _capped_gaps(head, i, reference):
    """Scores minus the reference's; equal scores differ by exactly 0, though their hyperbolic tangents are transcendental."""
    cap = arb(head.problem.softcap)

    def parts(j):
        return (ZERO, head.sink) if j < 0 else ((head.logit[i][j] / cap).tanh() * cap, head.bias[i][j] if head.bias else ZERO)

    first = parts(reference)
    gaps = []
    for j in head.keys_of[i] + ([-1] if head.sink is not None else []):
        curve, shift = parts(j)
        same = j == reference or (j >= 0 and reference >= 0 and (head.logit[i][j] - head.logit[i][reference]).is_zero())
        gaps.append((ZERO if same else curve - first[0]) + (shift - first[1]))
    return gaps


class Weights:
    """The softmax of one head: p[i][j] over all keys (0 where hidden), p_sink[i], and log_sum_exp[i] (None for -∞)."""

    def __init__(self, head):
        queries, keys = head.visible.shape
        self.head = head
        self.p = [[ZERO] * keys for _ in range(queries)]
        self.p_sink = [ZERO] * queries
        self.log_sum_exp = [None] * queries
        for i, reference in enumerate(head.reference):
            if reference is not None:
                self._row(i, reference)

    def _row(self, i, reference):
        head = self.head
        gaps = _capped_gaps(head, i, reference) if head.problem.softcap else _gaps(head, i, reference)
        weights = [gap.exp() for gap in gaps]
        total = sum(weights, ZERO)
        for j, weight in zip(head.keys_of[i], weights):
            self.p[i][j] = weight / total
        if head.sink is not None:
            self.p_sink[i] = weights[-1] / total
        self.log_sum_exp[i] = head.score_of(i, reference) + total.log()

    def dropped(self):
        """p with 0 where dropout drops, times 1/(1 - rate)."""
        if not self.head.problem.dropout:
            return self.p
        factor = arb(keep_factor(self.head.problem))
        return [[p * factor if kept else ZERO for p, kept in zip(*rows)] for rows in zip(self.p, self.head.kept)]


def multiply(left, right):
    """A table of arb times a table of arb."""
    return (arb_mat(left) * arb_mat(right)).table() if left and right and right[0] and left[0] else [
        [ZERO] * (len(right[0]) if right else 0) for _ in left]


def out(weights):
    """O [queries][value_dim]; values that are NaN or infinite count as 0 (special.py says what is right there)."""
    head = weights.head
    values = finite(head.value).tolist()
    if not values:
        return [[ZERO] * head.problem.value_dim for _ in weights.p]
    return multiply(weights.dropped(), values)


def careful_out(weights, i, channel, origin=0.0):
    """One number of O less an origin, as its distance from the leading value: exact where all values agree, sharp where one
    weight leads."""
    head = weights.head
    reference = head.reference[i]
    if reference is None:
        return arb(-origin)
    factor = arb(keep_factor(head.problem)) if head.problem.dropout else ONE
    values = [v if kept else 0.0 for v, kept in zip(finite(head.value)[:, channel].tolist(), head.kept[i])]
    leading = arb(0.0 if reference < 0 else values[reference])
    total = -weights.p_sink[i] * leading
    for j in head.keys_of[i]:
        total += weights.p[i][j] * (values[j] - leading)
    return total * factor + (leading * factor - origin)
