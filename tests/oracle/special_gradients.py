# SPDX-License-Identifier: Apache-2.0
"""What one row sends to each gradient in some order of evaluation: the backward pass of the rules' steps on sets of kinds (kinds.py).

Each set has two readings: what some order surely has, and, with latitude, also what the rules leave undemanded.
"""
import math
from dataclasses import dataclass

import numpy as np

import kinds
import special
from kinds import ANY, INFINITE, NAN, NOT_FINITE, NUMBER, POSITIVE, ZERO
from vanishing import MARGIN, SCORE_LIMIT, least_normal, out_overflows, sizes, upstream_overflows

SETS = ("dquery", "dkey", "dvalue", "dbias", "dsink")


@dataclass
class Sent:
    """Sets for one row: dquery [dim], dkey [keys, dim], dvalue [keys, value_dim], dbias [keys], dsink. numbers: of which dS, and
    sink_number: whether of the sink's, the formula's number counts, where it sends one at all."""
    dquery: np.ndarray
    dkey: np.ndarray
    dvalue: np.ndarray
    dbias: np.ndarray
    dsink: np.ndarray
    numbers: np.ndarray
    sink_number: bool

    def include(self, other):
        for name in (*SETS, "numbers"):
            setattr(self, name, getattr(self, name) | getattr(other, name))
        self.sink_number |= other.sink_number

    def allow(self, bits, pairs):
        """Adds a set to what these pairs send, and to dQ."""
        self.dquery |= bits
        for sets in (self.dkey, self.dvalue, self.dbias):
            sets[pairs] |= bits


def _nothing(problem, bits):
    def full(*shape):
        return np.full(shape, bits, dtype=np.uint8)

    return Sent(full(problem.dim), full(problem.keys, problem.dim), full(problem.keys, problem.value_dim), full(problem.keys), full(),
                np.zeros(problem.keys, dtype=bool), False)


class Row:
    """Row i of a head; out: the balls of its O, whose signs count beside infinities in dO."""

    def __init__(self, head, i, out, latitude):
        self.head, self.i, self.latitude = head, i, latitude
        self.problem, self.visible, self.kept = head.problem, head.visible[i], head.kept[i]
        self.query, self.dout = kinds.of(head.query[i]), kinds.of(head.dout[i])
        self.ways = special.softmaxes(head, i) if self.visible.any() else []
        self.upstream = self._upstream()
        self.from_out = self._unknown(out_overflows(head)[i], kinds.total(kinds.multiply(self.dout, self._out(out))))

    def _unknown(self, condition, bits):
        """Where nothing is demanded, nothing is certain, and everything possible."""
        return np.where(condition, kinds.ALL if self.latitude else 0, bits).astype(np.uint8)

    def _upstream(self):
        """[keys] of sets: dP, where a factor that is subnormal in the input format may be read as 0."""
        head, least = self.head, least_normal(self.problem.input_format)
        dout, value = self.dout[None, :], kinds.of(head.value)
        terms = kinds.multiply(dout, value)
        terms |= kinds.where(abs(head.dout[self.i])[None, :] < least, kinds.multiply(ZERO, value))
        terms |= kinds.where(abs(head.value) < least, kinds.multiply(dout, ZERO))
        whole = self._unknown(upstream_overflows(head)[self.i], kinds.total(terms, axis=1))
        return np.where(self.kept, whole, kinds.multiply(whole, ZERO) | ZERO)

    def _out(self, balls):
        """[value_dim] of sets: O; a number that needs a pair to be left out is not the formula's."""
        head = self.head
        sets = special.out(head, self.i)
        lost = ((self.visible & self.kept & (head.kind[self.i] == 0))[:, None] & ~np.isfinite(head.value)).any(axis=0)
        signs = np.array([self._sign(ball) for ball in balls], dtype=np.uint8)
        finite = np.where(lost & (head.reference[self.i] is not None), ANY, signs)
        return (sets & NOT_FINITE) | kinds.where(sets & kinds.FINITE, finite)

    def _sign(self, ball):
        """The set of a number of O, which a kernel may round to another sign."""
        if ball.is_zero():
            return ZERO
        return NUMBER if self.latitude or ball.contains(0) else POSITIVE if ball > 0 else kinds.NEGATIVE

    def sent(self):
        """Everything that the row sends."""
        result = _nothing(self.problem, 0 if self.visible.any() else ZERO)
        for way in self.ways:
            for delta in self._deltas(way):
                result.include(self._by(way, delta))
        self._from_hidden_pairs(result)
        if not self.head.dout[self.i].any():
            result.allow(ZERO, self.visible)
            result.dsink |= ZERO
        if self.visible.any() and sizes(self.head)[self.i] >= SCORE_LIMIT * MARGIN:
            self._overflow(result)
        if self.latitude:
            self._not_demanded(result)
        return result

    def _overflow(self, result):
        """The scores may leave the range in which something is demanded of what the row sends; to hidden pairs it may send NaN."""
        for sets in (result.dkey, result.dvalue, result.dbias):
            sets[self.visible] = self._unknown(True, 0)
            sets[~self.visible] |= NAN if self.latitude else 0
        result.dquery, result.dsink = self._unknown(True, result.dquery), self._unknown(True, result.dsink)

    def _deltas(self, way):
        """The sets of δ that make a difference."""
        terms = kinds.multiply(way.weight, self.upstream)
        lost = self.kept & (way.weight & POSITIVE != 0) & (self.upstream & NOT_FINITE != 0)
        terms |= kinds.where(way.left_out, np.where(lost, ANY, ZERO))
        delta = int(self.from_out | kinds.total(np.where(self.visible, terms, ZERO)))
        return [delta & part for part in (NUMBER, ANY, NAN, kinds.PLUS, kinds.MINUS) if delta & part]

    def _by(self, way, delta):
        """What the row sends with these weights and this δ."""
        head, problem, result = self.head, self.problem, _nothing(self.problem, ZERO)
        score = kinds.multiply(way.weight, kinds.add(self.upstream, kinds.negated(delta)))
        logit = score
        if problem.softcap:
            slope = np.select([np.isnan(way.logit), np.isinf(way.logit)], [NAN, ZERO], POSITIVE | (ZERO if self.latitude else 0))
            logit = kinds.multiply(score, slope.astype(np.uint8))
        left_out, scale, seen = kinds.where(way.left_out, ZERO), kinds.of(problem.scale), self.visible
        scaled = kinds.multiply(logit, scale)[:, None]
        result.dbias[seen] = (score | left_out)[seen]
        result.dkey[seen] = (kinds.multiply(scaled, self.query[None, :]) | left_out[:, None])[seen]
        by_key = kinds.multiply(scaled, kinds.of(head.key)) | left_out[:, None]
        result.dquery = kinds.total(by_key[seen])
        dropped = np.where(self.kept, way.weight, kinds.multiply(way.weight, ZERO))[:, None]
        by_value = kinds.multiply(dropped, self.dout[None, :]) | kinds.where(way.left_out | ~self.kept, ZERO)[:, None]
        result.dvalue[seen] = by_value[seen]
        result.dsink = kinds.multiply(way.sink, kinds.negated(delta)) | (ZERO if way.sink_left_out else 0)
        if head.sink_value == -math.inf:  # it is none, but may be multiplied through
            result.dsink = result.dsink | ZERO if self.latitude else result.dsink & NUMBER
        number = bool(delta & NUMBER)
        result.numbers = seen & (way.weight & POSITIVE != 0) & (self.upstream & NUMBER != 0) & number
        result.sink_number = number and bool(way.sink & POSITIVE)
        return result

    def _from_hidden_pairs(self, result):
        """A hidden pair may be multiplied through, with P = 0 and any numbers for its K and V."""
        head, i = self.head, self.i
        row_exists = i < self.problem.query_lengths[head.b]
        held = [head.query[i], head.dout[i], head.key[self.visible], head.value[self.visible]]
        held += [] if head.added is None else [head.added[i][self.visible]]
        sink = head.sink_value
        spoilt_sink = math.isnan(sink) or sink == math.inf
        touched = spoilt_sink or (row_exists and any(not np.isfinite(part).all() for part in held))
        hidden = ~self.visible
        if self.problem.ragged:
            hidden = hidden & (np.arange(self.problem.keys) < self.problem.lengths[head.b])
        if touched and (hidden.any() or not self.visible.any()):
            if hidden.any():
                result.allow(NAN, hidden)
            if spoilt_sink or not np.isfinite(head.dout[i]).all():
                result.dsink |= NAN  # by δ

    def _not_demanded(self, result):
        """Where the table of the rules demands less than its steps: "not finite" is NaN and both infinities, "anything" any number."""
        head, i = self.head, self.i
        for name in SETS:
            sets = getattr(result, name)
            setattr(result, name, sets | kinds.where(sets & INFINITE, NOT_FINITE))
        values = ~np.isfinite(head.value).all(axis=1) & self.visible
        left_out = np.any([way.left_out for way in self.ways], axis=0) if self.ways else np.zeros_like(self.visible)
        if (values & (left_out | ~self.kept)).any():
            result.allow(ANY, self.visible)
            result.dsink |= ANY
        elif not np.isfinite(head.dout[i]).all():
            for sets in (result.dkey, result.dvalue, result.dbias):
                sets[left_out] |= ANY
        if head.sink_value == math.inf:
            result.dsink |= ANY
