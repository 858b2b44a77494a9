# SPDX-License-Identifier: Apache-2.0
"""Answers that are rational numbers, where no precision of balls could show it.

Exponentials of distinct algebraic numbers are linearly independent over the algebraic numbers (Lindemann and Weierstrass), so a
weighted mean is rational exactly where all groups of equal scores have the same mean. Gradients are rational where every row that
they sum over is one group, or has no gradient at all.
"""
from flint import arb, fmpq

from attention import keep_factor
from scores import exactly, finite


def _name(number):
    return tuple(int(part) for part in number.man_exp()) if number.is_finite() else str(number)


@exactly
def groups(head, i):
    """The visible keys of a row by equal scores, as lists; -1 is the sink."""
    found = {}
    for j in head.keys_of[i]:
        if head.problem.softcap:
            name = (_name(head.logit[i][j]), _name(head.bias[i][j] if head.bias else arb(0)))
        else:
            name = ((0, 0), _name(head.score[i][j]))
        found.setdefault(name, []).append(j)
    if head.sink is not None:
        found.setdefault(((0, 0), _name(head.sink)), []).append(-1)
    return list(found.values())


def rational(number):
    return fmpq(*float(number).as_integer_ratio())


def out(head, i, channel):
    """The element as a rational number, or None where it is not one, or is not known to be (softcap)."""
    if head.reference[i] is None:
        return fmpq(0)
    column = finite(head.value)[:, channel]
    means = {sum((rational(column[j]) for j in group if j >= 0 and head.kept[i, j]), fmpq(0)) / len(group) for group in groups(head, i)}
    return means.pop() * keep_factor(head.problem) if len(means) == 1 else None


class RationalGradients:
    """dS of one head as rational numbers: score[i][j], logit[i][j] and sink[i], None where it is not known to be rational."""

    def __init__(self, head):
        self.head = head
        queries, keys = head.visible.shape
        self.p = [[fmpq(0)] * keys for _ in range(queries)]
        self.score = [[fmpq(0)] * keys for _ in range(queries)]
        self.logit = [[fmpq(0)] * keys for _ in range(queries)]
        self.sink = [fmpq(0)] * queries
        self.factor = keep_factor(head.problem)
        values = [[rational(v) for v in row] for row in finite(head.value)]
        for i in range(queries):
            if head.reference[i] is not None and head.keys_of[i]:
                self._row(i, values)

    def _row(self, i, values):
        head = self.head
        sink = head.sink is not None
        one_group = len(groups(head, i)) == 1
        weight = fmpq(1, len(head.keys_of[i]) + sink) if one_group else None
        dout = [rational(x) for x in finite(head.dout)[i]]
        x = {j: sum((a * b for a, b in zip(dout, values[j])), fmpq(0)) if head.kept[i, j] else fmpq(0) for j in head.keys_of[i]}
        flat = len(set(x.values()) | ({fmpq(0)} if sink else set())) == 1
        mean = sum(x.values(), fmpq(0)) * weight if one_group else None
        for j in head.keys_of[i]:
            self.p[i][j] = weight * (self.factor if head.kept[i, j] else 0) if one_group else None
            self.score[i][j] = fmpq(0) if flat or not head.numbers[i, j] else weight * (x[j] - mean) * self.factor if one_group else None
            level = head.problem.softcap and not head.logit[i][j].is_zero()  # its slope is transcendental
            self.logit[i][j] = None if level and self.score[i][j] != 0 else self.score[i][j]
        self.sink[i] = fmpq(0) if flat or not sink or not head.sink_numbers[i] else weight * -mean * self.factor if one_group else None

    def sum(self, terms):
        """Σ a·b of pairs (rational or None, double): None where an unknown one counts."""
        total = fmpq(0)
        for a, b in terms:
            if b and a is None:
                return None
            total += a * rational(b) if b else 0
        return total
