# SPDX-License-Identifier: Apache-2.0
"""The gradients of one head as balls at the present precision (rule 8)."""
from flint import arb

from attention import ZERO, keep_factor, multiply
from scores import exactly, finite, product


@exactly
def _upstream(head):
    """dP [queries][keys] before dropout, exact: the products of dO's rows with those of V."""
    return product(finite(head.dout), finite(head.value))


def transposed(table):
    return [list(column) for column in zip(*table)]


class Gradients:
    """dS after the bias (score) and before softcap (logit), [queries][keys], and what each row sends to the sink."""

    def __init__(self, weights):
        head = weights.head
        queries, keys = head.visible.shape
        self.weights, self.head = weights, head
        self.score = [[ZERO] * keys for _ in range(queries)]
        self.sink = [ZERO] * queries
        self.factor = arb(keep_factor(head.problem)) if head.problem.dropout else arb(1)
        upstream = _upstream(head)
        for i, reference in enumerate(head.reference):
            if reference is not None and head.keys_of[i]:
                self._row(i, reference, upstream[i])
        self.logit = self._before_softcap() if head.problem.softcap else self.score

    def _row(self, i, reference, upstream):
        """p_j·(x_j - Σ p_k x_k), as distances from the leading key's x: exactly 0 where all x agree."""
        head, p = self.head, self.weights.p[i]
        x = {j: upstream[j] if head.kept[i, j] else ZERO for j in head.keys_of[i]}
        leading = x[reference] if reference >= 0 else ZERO
        apart = {j: x_j - leading for j, x_j in x.items()}
        mean = -self.weights.p_sink[i] * leading
        for j, distance in apart.items():
            mean += p[j] * distance
        for j, distance in apart.items():
            if head.numbers[i, j]:
                self.score[i][j] = p[j] * (distance - mean) * self.factor
        if head.sink_numbers[i]:
            self.sink[i] = self.weights.p_sink[i] * (-leading - mean) * self.factor

    def _before_softcap(self):
        """The derivative 1 - tanh² is sech², which does not cancel."""
        cap = arb(self.head.problem.softcap)
        return [[g if g.is_zero() else g * (u / cap).sech() ** 2 for g, u in zip(*rows)]
                for rows in zip(self.score, self.head.logit)]

    def dquery(self):
        """[queries][dim]"""
        return self._scaled(multiply(self.logit, finite(self.head.key).tolist()), self.head.problem.dim)

    def dkey(self):
        """[keys][dim], of this query head alone"""
        if self.head.problem.queries == 0:
            return self._nothing(self.head.problem.dim)
        return self._scaled(multiply(transposed(self.logit), finite(self.head.query).tolist()), self.head.problem.dim)

    def dvalue(self):
        """[keys][value_dim], of this query head alone"""
        if self.head.problem.queries == 0:
            return self._nothing(self.head.problem.value_dim)
        return multiply(transposed(self.weights.dropped()), finite(self.head.dout).tolist())

    def _nothing(self, columns):
        return [[ZERO] * columns for _ in range(self.head.problem.keys)]

    def _scaled(self, table, columns):
        scale = arb(self.head.problem.scale)
        return [[x * scale for x in row] if row else [ZERO] * columns for row in table]

    def careful_dquery(self, i, channel):
        """One number of dQ: where nothing caps the scores, what a row sends to its keys and sink adds up to 0, so that keys
        count by their distance from one of them."""
        head = self.head
        if head.problem.softcap or not head.keys_of[i] or not (head.numbers[i, head.keys_of[i]].all() and head.sink_numbers[i]):
            return None
        column = finite(head.key)[:, channel].tolist()
        chosen = arb(column[head.reference[i] if head.reference[i] >= 0 else head.keys_of[i][0]])
        total = -self.sink[i] * chosen
        for j in head.keys_of[i]:
            total += self.logit[i][j] * (column[j] - chosen)
        return total * arb(head.problem.scale)
