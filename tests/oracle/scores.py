# SPDX-License-Identifier: Apache-2.0
"""One head of one sequence before any rounding: which pairs are visible, and their scores as exact numbers (rules 1 to 3)."""
import functools
import math

import numpy as np
from flint import arb, arb_mat, ctx

import masks

EXACT_BITS = 1 << 14  # products of three doubles and their sums need less, so nothing rounds


def exactly(function):
    """Runs a function at a precision at which sums and products of doubles are exact."""

    @functools.wraps(function)
    def run(*arguments):
        before = ctx.prec
        ctx.prec = EXACT_BITS
        try:
            return function(*arguments)
        finally:
            ctx.prec = before

    return run


@functools.lru_cache
def alibi_slopes(heads):
    """The published slopes, rounded to f32: with n the greatest power of two in heads, 2^(-8h/n) for h = 1 to n, then every
    second slope of the list for 2n heads (Press, Smith and Lewis, "Train Short, Test Long", and its published code)."""
    n = 1 << (heads.bit_length() - 1)
    exponents = [-8.0 * h / n for h in range(1, n + 1)] + [-4.0 * (2 * i - 1) / n for i in range(1, heads - n + 1)]
    return [float(np.float32(2.0**exponent)) for exponent in exponents]


def product(left, right):
    """left [n, d] times right [m, d] transposed, as a table of arb; numpy arrays of finite doubles."""
    if 0 in left.shape or 0 in right.shape:
        return [[arb(0)] * right.shape[0] for _ in range(left.shape[0])]
    return (arb_mat(left.tolist()) * arb_mat(right.T.tolist())).table()


def finite(array):
    """The array with 0 in the place of NaN and infinities."""
    return np.where(np.isfinite(array), array, 0.0)


def _kinds(array):
    """Its signs, with NaN and infinities kept: sums of their products show what the real ones come to, and never overflow."""
    return np.where(np.isfinite(array), np.sign(array), array)


class Head:
    """Query head h of sequence b, independent of precision.

    query, key, value, dout: this head's matrices; hole: whether any of them, bias or sink holds NaN or infinities.
    visible [queries, keys]; kept: what dropout keeps; kind [queries, keys]: 0, NaN or an infinity, the kind of a visible score.
    logit[i][j]: scale·q·k, exact; infinite only below a softcap; bias[i][j]: exact, or None; sink: arb, or None without mass.
    reference[i]: the visible key of the greatest finite score, -1 for the sink, None where nothing has mass, or NaN or +∞ has it.
    numbers [queries, keys], sink_numbers [queries]: the pairs and sinks whose dS counts by its number (see special_gradients.py).
    """

    def __init__(self, case, b, h):
        problem, inputs = case.problem, case.inputs
        group = problem.kv_head(h)
        self.problem, self.b, self.h = problem, b, h
        self.query, self.key = inputs["query"][b, h], inputs["key"][b, group]
        self.value = inputs["value"][b, group] if "value" in inputs else self.key[:, : problem.value_dim]
        self.dout = inputs["dout"][b, h] if "dout" in inputs else None
        self.visible = masks.visible(problem, b, h)
        self.kept = masks.kept(problem, b, h)
        self.added = self._added(inputs)
        if self.added is not None:
            self.visible = self.visible & (self.added != -math.inf)
        self.sink_value = float(inputs["sink"][0, h, 0, 0]) if problem.has_sink else -math.inf
        held = [self.query, self.key, self.value, self.dout, self.added, np.array(self.sink_value if problem.has_sink else 0.0)]
        self.hole = any(not np.isfinite(array).all() for array in held if array is not None)
        self.numbers, self.sink_numbers = np.ones(self.visible.shape, dtype=bool), np.ones(problem.queries, dtype=bool)
        self._score_kinds()
        self._exact_scores()

    def _added(self, inputs):
        """The bias as doubles [queries, keys], or None; ALiBi's -slope·distance is a product of an f32 and a small integer."""
        problem = self.problem
        if problem.has_bias:
            bias = inputs["bias"]
            part = bias[min(self.b, bias.shape[0] - 1), min(self.h, bias.shape[1] - 1)]
            return np.broadcast_to(part, (problem.queries, problem.keys))
        if problem.alibi:
            return -alibi_slopes(problem.heads)[self.h] * abs(self._distance())
        if problem.relative_position is not None:
            return float(np.float32(problem.relative_position)) * self._distance()
        return None

    def _distance(self):
        """key − p as doubles [queries, keys]."""
        problem = self.problem
        offset = problem.lengths[self.b] - problem.query_lengths[self.b]
        return (np.arange(problem.keys)[None, :] - np.arange(problem.queries)[:, None] - offset).astype(np.float64)

    def _score_kinds(self):
        self.kind = np.zeros(self.visible.shape)
        self.logit_kind = np.zeros(self.visible.shape)
        if not self.hole:
            return
        with np.errstate(invalid="ignore"):
            raw = np.einsum("id,jd->ij", _kinds(self.query), _kinds(self.key)) * np.sign(self.problem.scale)
            self.logit_kind = np.where(np.isfinite(raw), 0.0, raw)
            kind = np.where(np.isinf(raw), 0.0, self.logit_kind) if self.problem.softcap else self.logit_kind
            if self.added is not None:
                kind = kind + np.where(np.isfinite(self.added), 0.0, self.added)
            self.kind = np.where(self.visible, kind, 0.0)

    @exactly
    def _exact_scores(self):
        problem = self.problem
        scale = arb(problem.scale)
        self.logit = [[s * scale for s in row] for row in product(finite(self.query), finite(self.key))]
        if self.hole and problem.softcap:
            for i, j in np.argwhere(np.isinf(self.logit_kind)):
                self.logit[i][j] = arb(float(self.logit_kind[i, j]))
        self.bias = None if self.added is None else [[arb(float(x)) for x in row] for row in finite(self.added)]
        self.sink = arb(self.sink_value) if math.isfinite(self.sink_value) else None
        self.keys_of = [[int(j) for j in np.flatnonzero(self.visible[i] & (self.kind[i] == 0))] for i in range(problem.queries)]
        if not problem.softcap:
            self.score = self.logit if self.bias is None else [
                [a + b for a, b in zip(*rows)] for rows in zip(self.logit, self.bias)]
        self.reference = [self._greatest(i) for i in range(problem.queries)]

    def _greatest(self, i):
        if (np.isnan(self.kind[i]) | (self.kind[i] == math.inf)).any() or math.isnan(self.sink_value) or self.sink_value == math.inf:
            return None
        if not self.keys_of[i]:
            return None if self.sink is None else -1
        if self.problem.softcap:  # which one is taken does not matter much: any reference is right
            before, ctx.prec = ctx.prec, 64
            scores = {j: self.capped_score(i, j) for j in self.keys_of[i]}
            ctx.prec = before
        else:
            scores = {j: self.score[i][j] for j in self.keys_of[i]}
        best = self.keys_of[i][0]
        for j in self.keys_of[i]:
            if scores[j] > scores[best]:
                best = j
        return -1 if self.sink is not None and self.sink > scores[best] else best

    def capped_score(self, i, j):
        """The score of a visible pair under softcap, at the present precision."""
        cap = arb(self.problem.softcap)
        score = (self.logit[i][j] / cap).tanh() * cap
        return score if self.bias is None else score + self.bias[i][j]

    def score_of(self, i, j):
        """The score of a visible pair, or with j = -1 the sink's logit: exact without softcap."""
        if j < 0:
            return self.sink
        return self.capped_score(i, j) if self.problem.softcap else self.score[i][j]
