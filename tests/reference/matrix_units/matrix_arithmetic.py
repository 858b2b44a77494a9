# SPDX-License-Identifier: Apache-2.0
"""D = A*B + C of each matrix unit, computed with integers alone, from the rules of P. Xie et al., "MMA-Sim: Bit-Accurate Reference Model of
Tensor Cores and Matrix Cores", arXiv 2511.10909, by who had not seen the model that it judges. An H200 showed that
zeros are no terms there (docs/matrix_units.md).
"""
from collections import namedtuple

import numpy as np

ROWS = COLUMNS = 2


class Format(namedtuple("Format", "exponent_bits fraction_bits bias specials code_type sign_bits cut_bits",
                        defaults=(1, 0))):
    """A number format; a code's lowest cut_bits are not part of the number."""
    @property
    def exponent_place(self):
        return self.fraction_bits + self.cut_bits

    @property
    def sign_place(self):
        return self.exponent_place + self.exponent_bits

    @property
    def last_field(self):
        return (1 << self.exponent_bits) - 1


F16 = Format(5, 10, 15, "ieee", np.uint16)
F32 = Format(8, 23, 127, "ieee", np.uint32)
FORMATS = {
    "f16": F16, "bf16": Format(8, 7, 127, "ieee", np.uint16), "e5m2": Format(5, 2, 15, "ieee", np.uint8),
    "tf32": Format(8, 10, 127, "ieee", np.uint32, cut_bits=13), "e4m3": Format(4, 3, 7, "fn", np.uint8),
    "e4m3fnuz": Format(4, 3, 8, "fnuz", np.uint8), "e5m2fnuz": Format(5, 2, 16, "fnuz", np.uint8),
    "e2m1": Format(2, 1, 1, "none", np.uint8),
    "e8m0": Format(8, 0, 127, "e8m0", np.uint8, sign_bits=0), "ue4m3": Format(4, 3, 7, "unsigned fn", np.uint8),
}
Rounding = namedtuple("Rounding", "accumulator fraction_bits to_nearest nan_code minus_zero", defaults=(False,))
ROUNDINGS = {
    "f32": Rounding(F32, 23, False, 0x7FFFFFFF), "f32_13": Rounding(F32, 13, False, 0x7FFFFFFF),
    "f16": Rounding(F16, 10, True, 0x7FFF), "nearest f32": Rounding(F32, 23, True, 0x7FC00000, True),
}
Unit = namedtuple("Unit", "kind operand k group fraction_bits rounding scale block", defaults=(None, None))
UNITS = {f"{family}.{name}.{rounding[:3]}": Unit("nvidia", FORMATS[name], *sizes, ROUNDINGS[rounding])
         for family, names, *sizes, roundings in [
             ("volta", "f16", 4, 4, 23, "f32 f16"), ("turing", "f16", 8, 8, 24, "f32 f16"),
             ("ampere", "f16", 16, 8, 24, "f32 f16"), ("ampere", "bf16", 16, 8, 24, "f32"),
             ("ampere", "tf32", 8, 4, 24, "f32"), ("ada", "e4m3 e5m2", 32, 16, 13, "f32_13 f16"),
             ("hopper", "f16", 16, 16, 25, "f32 f16"), ("hopper", "bf16", 16, 16, 25, "f32"),
             ("hopper", "tf32", 8, 8, 25, "f32"), ("hopper", "e4m3 e5m2", 32, 32, 13, "f32_13 f16"),
             ("blackwell", "e4m3 e5m2", 32, 32, 25, "f32")]
         for name in names.split() for rounding in roundings.split()}
UNITS |= {f"blackwell.{name}.f32": Unit(kind, FORMATS[operand], *sizes, ROUNDINGS["f32"], FORMATS[scale], block)
          for name, kind, operand, *sizes, scale, block in [
              ("mxfp8", "nvidia", "e4m3", 32, 32, 25, "e8m0", 32), ("mxfp4", "fp4", "e2m1", 64, 64, 35, "e8m0", 32),
              ("nvfp4", "fp4", "e2m1", 64, 64, 35, "ue4m3", 16)]}
UNITS |= {f"cdna3.{name}.f32": Unit(kind, FORMATS[operand], *sizes, 24, ROUNDINGS["nearest f32"])
          for name, kind, operand, *sizes in [
              ("f16", "cdna3", "f16", 16, 8), ("bf16", "cdna3", "bf16", 16, 8), ("xf32", "cdna3", "tf32", 8, 4),
              ("e4m3fnuz", "cdna3 fp8", "e4m3fnuz", 32, 16), ("e5m2fnuz", "cdna3 fp8", "e5m2fnuz", 32, 16)]}


class Numbers(namedtuple("Numbers", "point significand exponent nan infinite")):
    """Arrays [..., tile] of significand * 2^(exponent - point); an infinity keeps its sign in the significand."""
    def each(self, function):
        return Numbers(self.point, *map(function, self[1:]))


def decode(form, codes):
    codes = codes.astype(np.int64) >> form.cut_bits
    never = np.zeros(codes.shape, bool)
    if form.specials == "e8m0":
        return Numbers(0, np.ones_like(codes), codes - form.bias, codes == 0xFF, never)
    field = codes >> form.fraction_bits & form.last_field
    fraction = codes & (1 << form.fraction_bits) - 1
    significand = fraction + ((field > 0).astype(np.int64) << form.fraction_bits)
    exponent = np.where(significand == 0, -126, np.maximum(field, 1) - form.bias)
    if form.specials != "unsigned fn":
        significand = np.where(codes >> form.fraction_bits + form.exponent_bits & 1, -significand, significand)
    nan, infinite = never, never
    if form.specials == "ieee":
        nan, infinite = (field == form.last_field) & (fraction != 0), (field == form.last_field) & (fraction == 0)
    elif form.specials != "none":
        nan = codes == 0x80 if form.specials == "fnuz" else codes & 0x7F == 0x7F
    return Numbers(form.fraction_bits, significand, exponent, nan, infinite)


def shifted(values, places):
    """floor(values * 2^places)."""
    return values << np.maximum(places, 0) >> np.minimum(np.maximum(-places, 0), 62)


def bit_length(values):
    return np.searchsorted(1 << np.arange(63), values, side="right")


def encode(rounding, total, unit_exponent):
    """The accumulator's code of total * 2^unit_exponent."""
    magnitude = np.abs(total)
    lowest = 1 - rounding.accumulator.bias
    exponent = np.maximum(bit_length(magnitude) - 1 + unit_exponent, lowest)
    dropped = exponent - rounding.fraction_bits - unit_exponent
    kept = shifted(magnitude, -dropped)
    if rounding.to_nearest:
        places = np.clip(dropped, 0, 62)
        twice_rest = 2 * (magnitude & (1 << places) - 1)
        kept += (dropped > 0) & (twice_rest + (kept & 1) > 1 << places)
    code = np.where(kept == 0, 0, (exponent - lowest << rounding.fraction_bits) + kept)
    code = np.minimum(code, rounding.accumulator.last_field << rounding.fraction_bits)
    code <<= rounding.accumulator.fraction_bits - rounding.fraction_bits
    signed = (total < 0) & ((code > 0) | rounding.minus_zero)
    return np.where(signed, code | 1 << rounding.accumulator.sign_place, code)


def finish(rounding, total, unit_exponent, products, c):
    """The code of total * 2^unit_exponent, or the NaN or infinity that products or c ask for."""
    plus = (products.infinite & (products.significand > 0)).any(0) | c.infinite & (c.significand > 0)
    minus = (products.infinite & (products.significand < 0)).any(0) | c.infinite & (c.significand < 0)
    infinity = rounding.accumulator.last_field << rounding.accumulator.exponent_place
    code = np.where(plus, infinity, encode(rounding, total, unit_exponent))
    code = np.where(minus, infinity | 1 << rounding.accumulator.sign_place, code)
    return np.where(products.nan.any(0) | c.nan | plus & minus, rounding.nan_code, code)


def exact_products(a, b):
    """[m, k, tile] and [k, n, tile] to [k, m, n, tile]."""
    a = a.each(lambda array: array.swapaxes(0, 1)[:, :, None])
    b = b.each(lambda array: array[:, None])
    significand = a.significand * b.significand
    infinite = a.infinite | b.infinite
    nan = a.nan | b.nan | infinite & (significand == 0)
    return Numbers(a.point + b.point, significand, a.exponent + b.exponent, nan, infinite)


def fused_sum(fraction_bits, *terms):
    """The sum over the first axis as an integer, and the largest exponent."""
    top = np.max([numbers.exponent.max(0) for numbers in terms], 0)
    total = 0
    for numbers in terms:
        places = fraction_bits - numbers.point + numbers.exponent - top
        total += (np.sign(numbers.significand) * shifted(np.abs(numbers.significand), places)).sum(0)
    return total, top


def without_zeros(numbers):
    """What no zero lifts the largest exponent of."""
    return numbers._replace(exponent=np.where(numbers.significand == 0, -1000, numbers.exponent))


def nvidia_sum(unit, products, c):
    terms = products, c.each(lambda array: array[None])
    if unit.kind == "nvidia":
        terms = map(without_zeros, terms)
    total, top = fused_sum(unit.fraction_bits, *terms)
    return finish(unit.rounding, total, top - unit.fraction_bits, products, c)


def fp4_terms(a, b, scale_a, scale_b):
    """One term for each 16 products: their exact dot product times the scales' significands."""
    integers_a = shifted(a.significand, a.exponent).reshape(ROWS, -1, 16, a.nan.shape[-1])
    integers_b = shifted(b.significand, b.exponent).reshape(-1, 16, COLUMNS, b.nan.shape[-1])
    dots = np.einsum("mgkt,gknt->gmnt", integers_a, integers_b)
    scales = exact_products(scale_a, scale_b)
    return scales._replace(significand=dots * scales.significand, point=a.point + b.point + scales.point)


def cdna3_sum(unit, products, c):
    limit = np.int64(1) << np.clip(128 - products.exponent + products.point, 0, 62)
    special = (products.nan | products.infinite).any(0) | c.nan | c.infinite
    products = products._replace(infinite=products.infinite | (np.abs(products.significand) >= limit) & ~special)
    if unit.kind == "cdna3 fp8":
        even, even_top = fused_sum(unit.fraction_bits, products.each(lambda array: array[0::2]))
        odd, odd_top = fused_sum(unit.fraction_bits, products.each(lambda array: array[1::2]))
        top = np.maximum(even_top, odd_top)
        total = shifted(even, even_top - top) + shifted(odd, odd_top - top)
    else:
        total, top = fused_sum(unit.fraction_bits, products)
    common = np.maximum(top, c.exponent)
    keeps_c = (unit.kind == "cdna3") | (c.exponent >= common - 25)
    floor_c = np.where(keeps_c, shifted(c.significand, 24 - c.point + c.exponent - common), 0)
    return finish(unit.rounding, shifted(total, 7 + top - common) + (floor_c << 7), common - 31, products, c)


def multiply(unit, a, b, c, scale_a=None, scale_b=None):
    """The codes of D for the codes of A, B, C and the scales."""
    a, b = decode(unit.operand, a), decode(unit.operand, b)
    if unit.scale:
        times = unit.block // 16 if unit.kind == "fp4" else unit.block
        scale_a = decode(unit.scale, scale_a).each(lambda array: array.repeat(times, 1))
        scale_b = decode(unit.scale, scale_b).each(lambda array: array.repeat(times, 0))
    if unit.kind == "fp4":
        return nvidia_sum(unit, fp4_terms(a, b, scale_a, scale_b), decode(unit.rounding.accumulator, c))
    if unit.scale:
        a, b = (numbers._replace(exponent=numbers.exponent + scale.exponent, nan=numbers.nan | scale.nan)
                for numbers, scale in ((a, scale_a), (b, scale_b)))
    for start in range(0, unit.k, unit.group):
        group = slice(start, start + unit.group)
        products = exact_products(a.each(lambda array: array[:, group]), b.each(lambda array: array[group]))
        accumulate = nvidia_sum if unit.kind == "nvidia" else cdna3_sum
        c = accumulate(unit, products, decode(unit.rounding.accumulator, c))
    return c
