# SPDX-License-Identifier: Apache-2.0
"""Which keys a query sees: rule 3, written down from docs/rules.md alone."""
from fractions import Fraction

import numpy as np

from philox import philox

DRAWN = 3 << 30  # where the counters of drawn masks begin


class Sequence:
    """One head of one sequence: its own extents, query and key numbers as a column and a row, and p = query + keys - queries."""

    def __init__(self, b, h, queries, keys, seed):
        self.b, self.h, self.queries, self.keys, self.seed = b, h, queries, keys, seed
        self.i = np.arange(queries, dtype=np.int64)[:, None]
        self.j = np.arange(keys, dtype=np.int64)[None, :]
        self.p = self.i + (keys - queries)


def _window(s, left, right):
    left, right = int(left), int(right)
    near = np.ones((s.queries, s.keys), dtype=bool)
    if left != -1:
        near &= s.j >= s.p - left
    if right != -1:
        near &= s.j <= s.p + right
    return near


def _word(s, counter, number, seed=None):
    """Word number % 4 of each counter, whose first entry has number // 4 added; of the sequence's seed if none is given."""
    words = np.stack(philox((counter[0] + number // 4, *counter[1:]), s.seed if seed is None else seed), axis=-1)
    chosen = np.broadcast_to(number % 4, words.shape[:-1])
    return np.take_along_axis(words, chosen[..., None], axis=-1)[..., 0]


def _dense(s, percent):
    words = _word(s, (DRAWN, s.i, s.h, s.b), s.j)
    limit = Fraction(percent) * 2**32 / 100  # w / 2^32 < P / 100
    return words < np.uint64(-(-limit.numerator // limit.denominator))


def _block(s, size):
    words = _word(s, (DRAWN + (1 << 29), s.i // int(size), s.h, s.b), s.j // int(size))
    return words < np.uint64(1 << 31)


def _document(s, count):
    borders = np.arange(1, int(count), dtype=np.int64)
    words = _word(s, (DRAWN, 0, 0, (1 << 31) + s.b), borders)
    begins = np.sort(np.array([int(w) * (s.keys + 1) >> 32 for w in words], dtype=np.int64))
    inside = (s.p >= 0) & (s.p < s.keys)
    return inside & (np.searchsorted(begins, s.p, side="right") == np.searchsorted(begins, s.j, side="right"))


def _blocks(s, count):
    words = _word(s, (DRAWN, 1, 0, (1 << 31) + s.b), np.arange(2 * int(count), dtype=np.int64))
    places = sorted(int(w) * (s.keys + 1) >> 32 for w in words)
    seen = np.zeros((s.queries, s.keys), dtype=bool)
    for begin, end in zip(places[0::2], places[1::2]):
        seen |= (begin <= s.p) & (s.p < end) & (begin <= s.j) & (s.j < end)
    return seen


def _tree(s, seed):
    words = _word(s, (DRAWN, 2, 0, (1 << 31) + s.b), np.arange(s.queries, dtype=np.int64), int(seed))
    sees = np.eye(s.queries, dtype=bool)  # token by token
    for token in range(1, s.queries):
        sees[token] |= sees[int(words[token]) * token >> 32]
    first = s.keys - s.queries  # the key of token 0
    columns = [np.ones(s.queries, dtype=bool) if key < first else sees[:, key - first] for key in range(s.keys)]
    return np.array(columns, dtype=bool).reshape(s.keys, s.queries).T


def _indices(s, count):
    entries = np.arange(int(count), dtype=np.int64)[None, :]
    words = _word(s, (DRAWN + (1 << 29), s.i, 0, (1 << 31) + s.b), entries).reshape(s.queries, int(count))
    listed = words * np.uint64(s.keys + 1) >> np.uint64(32)
    return (listed[:, :, None] == s.j.astype(np.uint64)[None]).any(axis=1)


NAMES = {
    "full": lambda s: np.ones((s.queries, s.keys), dtype=bool),
    "causal": lambda s, where="": s.j <= (s.i if where == "top_left" else s.p),
    "window": _window,
    "prefix": lambda s, n: (s.j < int(n)) | (s.j <= s.p),
    "needle": lambda s, step: (s.j == s.p) | (s.j % int(step) == 0),
    "dilated": lambda s, step: (s.j - s.p) % int(step) == 0,
    "dense": _dense,
    "block": _block,
    "document": _document,
    "chunk": lambda s, size: s.j // int(size) == s.p // int(size),
    "block_causal": lambda s, size: s.j // int(size) <= s.p // int(size),
    "blocks": _blocks,
    "tree": _tree,
    "indices": _indices,
}


def allows(tree, sequence):
    """[queries, keys] of booleans: the pairs of one sequence that a mask's tree keeps."""
    name, *arguments = tree
    if name == "not":
        return ~allows(arguments[0], sequence)
    if name == "and":
        return allows(arguments[0], sequence) & allows(arguments[1], sequence)
    if name == "or":
        return allows(arguments[0], sequence) | allows(arguments[1], sequence)
    return np.broadcast_to(NAMES[name](sequence, *arguments), (sequence.queries, sequence.keys))


def visible(problem, b, h):
    """[queries, keys] of the whole batch entry: the mask within the sequence's own extents, nothing behind them."""
    queries, keys = problem.query_lengths[b], problem.lengths[b]
    seen = np.zeros((problem.queries, problem.keys), dtype=bool)
    seen[:queries, :keys] = allows(problem.mask, Sequence(b, h, queries, keys, problem.seed))
    return seen


def kept(problem, b, h):
    """[queries, keys]: the pairs that dropout keeps (rule 7)."""
    if not problem.dropout:
        return np.ones((problem.queries, problem.keys), dtype=bool)
    i, j = np.arange(problem.queries)[:, None], np.arange(problem.keys)[None, :]
    limit = int(Fraction(problem.dropout) * 2**32)
    return philox((b, h, i, j), problem.seed)[0] >= np.uint64(limit)
