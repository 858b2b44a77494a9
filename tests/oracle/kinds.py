# SPDX-License-Identifier: Apache-2.0
"""Sets of what a number of IEEE 754 may be, as bits of an integer, with the sums and products of such sets.

Numbers of the formula count by their signs; ANY is a finite number of which the rules demand nothing.
"""
import numpy as np

ATOMS = ZERO, POSITIVE, NEGATIVE, ANY, NAN, PLUS, MINUS = tuple(1 << place for place in range(7))
NUMBER, INFINITE = ZERO | POSITIVE | NEGATIVE, PLUS | MINUS
FINITE, NOT_FINITE, ALL = NUMBER | ANY, NAN | INFINITE, (1 << 7) - 1
_SIGN = {ZERO: 0, POSITIVE: 1, NEGATIVE: -1, PLUS: 1, MINUS: -1}
_NAMES = {NUMBER: "number", ANY: "anything", NAN: "nan", PLUS: "inf", MINUS: "-inf"}


def names(bits):
    """The sorted words of a set."""
    return sorted(name for part, name in _NAMES.items() if bits & part)


def _signed(sign, plus, minus, zero):
    return plus if sign > 0 else minus if sign < 0 else zero


def _sum(a, b):
    if NAN in (a, b) or {a, b} == {PLUS, MINUS}:
        return NAN
    for infinity in (PLUS, MINUS):
        if infinity in (a, b):
            return infinity
    if ANY in (a, b):
        return ANY
    signs = {_SIGN[a], _SIGN[b]} - {0}
    return NUMBER if len(signs) == 2 else _signed(sum(signs), POSITIVE, NEGATIVE, ZERO)


def _product(a, b):
    infinite = bool((a | b) & INFINITE)
    if NAN in (a, b) or (infinite and ZERO in (a, b)):
        return NAN
    if ANY in (a, b):
        return NOT_FINITE if infinite else ZERO if ZERO in (a, b) else ANY
    sign = _SIGN[a] * _SIGN[b]
    return _signed(sign, PLUS, MINUS, ZERO) if infinite else _signed(sign, POSITIVE, NEGATIVE, ZERO)


def _table(operation):
    """The operation on sets: [left, right]; nothing comes of an empty set."""
    table = np.zeros((ALL + 1, ALL + 1), dtype=np.uint8)
    left, right = np.arange(ALL + 1)[:, None], np.arange(ALL + 1)[None, :]
    for a in ATOMS:
        for b in ATOMS:
            table |= np.where((left & a != 0) & (right & b != 0), operation(a, b), 0).astype(np.uint8)
    return table


_ADD, _MULTIPLY = _table(_sum), _table(_product)
_NEGATED = _MULTIPLY[NEGATIVE]


def of(numbers):
    """The set of each number alone."""
    numbers = np.asarray(numbers, dtype=np.float64)
    finite = np.select([numbers > 0, numbers < 0], [POSITIVE, NEGATIVE], ZERO)
    return np.select([np.isnan(numbers), numbers == np.inf, numbers == -np.inf], [NAN, PLUS, MINUS], finite).astype(np.uint8)


def where(condition, bits):
    """The set where a condition holds, and else the empty one."""
    return np.where(condition, bits, 0).astype(np.uint8)


def add(left, right):
    return _ADD[left, right]


def negated(bits):
    return _NEGATED[bits]


def multiply(left, right):
    return _MULTIPLY[left, right]


def total(terms, axis=0):
    """The set of a sum over an axis, in any order."""
    terms = np.moveaxis(np.asarray(terms, dtype=np.uint8), axis, 0)
    result = np.full(terms.shape[1:], ZERO, dtype=np.uint8)
    for term in terms:
        result = _ADD[result, term]
    return result
