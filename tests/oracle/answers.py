# SPDX-License-Identifier: Apache-2.0
"""Every answer of a case by its index: as a ball at a chosen precision, as a proven rational number, or as the sets of kinds
that NaN and infinities admit."""
import math

import numpy as np
from flint import ctx, fmpq

import attention
import kinds
import proofs
import special
import summed_sets
from attention import ZERO
from gradients import Gradients
from proofs import RationalGradients, rational
from scores import Head, finite


class Answers:
    """Answers of one case. Indices are (batch, head, row, column) of the answer's own tensor."""

    def __init__(self, case, bits):
        self.case, self.problem = case, case.problem
        self.heads = {(b, h): Head(case, b, h) for b in range(self.problem.batch) for h in range(self.problem.heads)}
        self.special = {}
        self.rationals = {}
        self.refine(bits)
        self.gradient_sets = summed_sets.of_gradients(self)

    def refine(self, bits):
        """From now on balls are computed with so many bits."""
        ctx.prec = self.bits = bits
        self.careful = bits > 128
        self.memory = {}

    def _once(self, kind, key, make):
        found = self.memory.get((kind, key))
        if found is None:
            found = self.memory[kind, key] = make()
        return found

    def weights(self, b, h):
        return self._once("weights", (b, h), lambda: attention.Weights(self.heads[b, h]))

    def gradients(self, b, h):
        return self._once("gradients", (b, h), lambda: Gradients(self.weights(b, h)))

    def members(self, kv_head):
        """The query heads of a kv head."""
        group = self.problem.heads // self.problem.kv_heads
        return range(kv_head * group, (kv_head + 1) * group)

    def exists(self, name, index):
        """False for the rows behind a sequence of a ragged batch, which nobody reads or writes."""
        b, _, row, _ = index
        if not self.problem.ragged or name in ("dbias", "dsink"):
            return True
        return row < (self.problem.lengths if name in ("dkey", "dvalue") else self.problem.query_lengths)[b]

    # balls

    def ball(self, name, index):
        """The element as a ball; None stands for -∞ exactly."""
        b, h, row, column = index
        if name == "out":
            if self.careful:
                return attention.careful_out(self.weights(b, h), row, column)
            return self._once("out", (b, h), lambda: attention.out(self.weights(b, h)))[row][column]
        if name == "log_sum_exp":
            return self.weights(b, h).log_sum_exp[row]
        if name == "dquery":
            sharp = self.gradients(b, h).careful_dquery(row, column) if self.careful else None
            return sharp if sharp is not None else self._once(name, (b, h), self.gradients(b, h).dquery)[row][column]
        if name in ("dkey", "dvalue"):
            return self._once(name, (b, h), lambda: self._summed(name, b, h))[row][column]
        return self._once(name, None, lambda: self._score_gradient(name))[index]

    def apart(self, name, index, value):
        """O - value, sharp even where only a vanishing weight tells them apart; None where the ball itself is as good."""
        if name != "out" or not self.careful or not math.isfinite(value):
            return None
        b, h, row, column = index
        return attention.careful_out(self.weights(b, h), row, column, value)

    def _summed(self, name, b, kv_head):
        tables = [getattr(self.gradients(b, h), name)() for h in self.members(kv_head)]
        return [[sum(terms, ZERO) for terms in zip(*rows)] for rows in zip(*tables)]

    def sources(self, name, b, h, i, j):
        """Where the gradient of a pair's bias, or of a row's sink, is added up: an index of dbias or dsink."""
        extents = self.case.claims[name].value.shape
        return tuple(min(n, extent - 1) for n, extent in zip((b, h, i, j), extents))

    def _score_gradient(self, name):
        total = np.full(self.case.claims[name].value.shape, ZERO, dtype=object)
        for (b, h), head in self.heads.items():
            gradients = self.gradients(b, h)
            for i, keys in enumerate(head.keys_of):
                if name == "dsink":
                    total[0, h, 0, 0] += gradients.sink[i]
                    continue
                for j in keys:
                    total[self.sources(name, b, h, i, j)] += gradients.score[i][j]
        return total

    # rational numbers

    def proven(self, name, index):
        """The element as a rational number, or None where it is not known to be one."""
        b, h, row, column = index
        if name == "out":
            return proofs.out(self.heads[b, h], row, column)
        if name == "log_sum_exp":
            return None
        if not self.rationals:
            self.rationals = {key: RationalGradients(head) for key, head in self.heads.items()}
        if name == "dquery":
            one = self.rationals[b, h]
            return self._times_scale(one.sum(zip(one.logit[row], finite(one.head.key)[:, column])))
        if name in ("dkey", "dvalue"):
            terms = []
            for g in self.members(h):
                one = self.rationals[b, g]
                table, factors = (one.logit, one.head.query) if name == "dkey" else (one.p, one.head.dout)
                terms += [(table[i][row], finite(factors)[i, column]) for i in range(self.problem.queries)]
            total = one.sum(terms)
            return self._times_scale(total) if name == "dkey" else total
        terms = []
        for (b, h), one in self.rationals.items():
            for i, keys in enumerate(one.head.keys_of):
                if name == "dsink":
                    terms += [(one.sink[i], 1.0)] if h == index[1] else []
                else:
                    terms += [(one.score[i][j], 1.0) for j in keys if self.sources(name, b, h, i, j) == index]
        return one.sum(terms) if terms else fmpq(0)

    def _times_scale(self, total):
        return None if total is None else total * rational(self.problem.scale)

    # NaN and infinities

    def sets(self, name, index):
        """None where the element is a plain number, else the two sets (kinds.py) of what some order surely has, and of what is possible."""
        b, h, row, column = index
        if name in ("out", "log_sum_exp"):
            head = self.heads[b, h]
            if not head.hole:
                return None
            find = special.log_sum_exp if name == "log_sum_exp" else special.out
            sets = self.special.setdefault((name, b, h, row), None)
            if sets is None:
                sets = self.special[name, b, h, row] = find(head, row)
            found = int(sets if name == "log_sum_exp" else sets[column])
            return None if not found & kinds.NOT_FINITE else (found, found)
        sure, possible = (int(table[name][index]) for table in self.gradient_sets)
        return None if possible & kinds.NUMBER and not possible & (kinds.ANY | kinds.NOT_FINITE) else (sure, possible)
