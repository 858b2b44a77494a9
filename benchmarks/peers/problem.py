# SPDX-License-Identifier: Apache-2.0
"""The problem that peers are asked for: its inputs, its mask, and how far an answer is from it."""
import numpy


class Refused(Exception):
    """A peer does not take a problem."""


class Problem:
    """What attestone says of a problem, with normal inputs [batch, heads, tokens, channels] of float32."""

    def __init__(self, request):
        self.__dict__.update(request)
        generator = numpy.random.default_rng(1)

        def normal(heads, tokens, channels):
            return generator.standard_normal((self.batch, heads, tokens, channels), dtype=numpy.float32)

        self.query = normal(self.heads, self.queries, self.dim)
        self.key = normal(self.kv_heads, self.keys, self.dim)
        self.value = normal(self.kv_heads, self.keys, self.value_dim)
        self.dout = normal(self.heads, self.queries, self.value_dim) if self.backward else None

    @property
    def is_causal(self):
        return self.mask == "causal"

    def refuse(self, what, when=True):
        if when:
            raise Refused(what)

    def allowed(self):
        """[queries, keys] of booleans, or None where every query sees every key."""
        if self.mask == "full":
            return None
        behind = (numpy.arange(self.queries)[:, None] + self.keys - self.queries) - numpy.arange(self.keys)[None, :]
        left, right = (-1, 0) if self.is_causal else self.window
        return ((behind <= left) if left >= 0 else True) & ((-behind <= right) if right >= 0 else True)

    def relative_error(self, out):
        """Of an answer to the forward pass: root of the mean square over that of the truth, on some rows in float64."""
        rows = numpy.unique(numpy.linspace(0, self.queries - 1, 8).astype(int))
        allowed = self.allowed()
        wrong = right = 0.0
        for head in {0, self.heads - 1}:
            kv_head = head // (self.heads // self.kv_heads)
            scores = self.scale * self.query[0, head, rows].astype(float) @ self.key[0, kv_head].astype(float).T
            if allowed is not None:
                scores[~allowed[rows]] = -numpy.inf
            weights = numpy.exp(scores - scores.max(axis=1, keepdims=True))
            truth = weights / weights.sum(axis=1, keepdims=True) @ self.value[0, kv_head].astype(float)
            wrong += ((out[0, head, rows].astype(float) - truth) ** 2).sum()
            right += (truth**2).sum()
        return float(numpy.sqrt(wrong / right))
