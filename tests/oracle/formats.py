# SPDX-License-Identifier: Apache-2.0
"""When a ball lies where every number rounds, ties to even, to a given number of a format."""
import math

from flint import arb

# precision in bits, least and greatest exponent of a normal number
FORMATS = {"f64": (53, -1022, 1023), "f32": (24, -126, 127), "bf16": (8, -126, 127), "f16": (11, -14, 15),
           "e5m2": (3, -14, 15), "e4m3": (4, -6, 8)}
OUTSIDE = None  # no number of the format, or one whose neighbours the rules do not give


def ends(number, name):
    """(low, high, included): the reals that round to the number, with or without their ends; arb, possibly infinite."""
    bits, least, greatest = FORMATS[name]
    largest = (1 << bits) - 1, greatest - bits + 1
    if name == "e4m3" and abs(number) >= 448:  # it has no infinity, and rule 5 does not say what becomes of larger numbers
        return OUTSIDE
    if math.isinf(number):
        border = arb((2 * largest[0] + 1, largest[1] - 1))
        return (border, arb.pos_inf(), True) if number > 0 else (arb.neg_inf(), -border, True)
    if number == 0:
        half = arb((1, least - bits))
        return -half, half, True
    fraction, exponent = math.frexp(abs(number))  # in [1/2, 1)
    unit = max(exponent - 1, least) - bits + 1
    count = math.ldexp(fraction, exponent - unit) if exponent - unit < 1100 else math.inf
    if count != int(count) or exponent - 1 > greatest:
        return OUTSIDE
    count = int(count)
    high = arb((2 * count + 1, unit - 1))
    at_border = count == 1 << (bits - 1) and exponent - 1 > least  # below a power of two the numbers lie twice as dense
    low = arb((4 * count - 1, unit - 2)) if at_border else arb((2 * count - 1, unit - 1))
    included = count % 2 == 0
    return (low, high, included) if number > 0 else (-high, -low, included)


def rounds_to(ball, number, name):
    """True or False where that is sure for every number of the ball, None where it is not (or not defined)."""
    limits = ends(number, name)
    if limits is OUTSIDE:
        return None if name == "e4m3" and abs(number) >= 448 else False
    low, high, included = limits
    if included:
        if ball >= low and ball <= high:
            return True
        return False if ball < low or ball > high else None
    if ball > low and ball < high:
        return True
    return False if ball <= low or ball >= high else None
