# SPDX-License-Identifier: Apache-2.0
"""Write FOLDER/tiles.safetensors: random tiles A, B, C (and block scales) and D = A*B + C of each matrix unit."""
import pathlib
import sys

import numpy as np
from matrix_arithmetic import COLUMNS, ROWS, UNITS, decode, multiply
from safetensors.numpy import save_file

TILES_AT_ONCE = 1000

ANY, FINITE, NEAR_ONE, ONE_SIGNED, WIDE, CANCELLING = range(6)
TILE_SHARES = (0.08, 0.14, 0.24, 0.12, 0.22, 0.2)
ZERO, SUBNORMAL, HUGE, ANY_CODE, NEAR_SUM = range(5)
C_CHOICES = np.array([(ZERO, SUBNORMAL, ANY_CODE, NEAR_SUM), (ZERO, HUGE, NEAR_SUM, NEAR_SUM),
                      (ZERO, SUBNORMAL, HUGE, NEAR_SUM), (ZERO, ANY_CODE, NEAR_SUM, NEAR_SUM),
                      (ZERO, NEAR_SUM, NEAR_SUM, NEAR_SUM), (ZERO, SUBNORMAL, NEAR_SUM, NEAR_SUM)])


def made_finite(form, codes):
    numbers = decode(form, codes)
    return np.where(numbers.nan | numbers.infinite, codes ^ 1 << form.exponent_place, codes)


def draw_codes(rng, form, shape, tile_kind, centre):
    """Codes of each tile's kind; the banded ones have exponents about the tile's centre."""
    uniform = rng.integers(0, 1 << form.sign_place + form.sign_bits, shape)
    width = np.where(tile_kind == WIDE, 12, 2)
    field = centre + form.bias + rng.integers(0, 1 << 20, shape) % (2 * width + 1) - width
    clipped = np.clip(field, 0, form.last_field - (form.specials == "ieee"))
    redrawn = (clipped != field) & (rng.random(tile_kind.shape) < 0.6)
    field = np.where(redrawn, uniform >> form.exponent_place & form.last_field, clipped)
    short = rng.random(tile_kind.shape) < 0.25
    fraction = uniform & np.where(short, 6 << form.exponent_place >> 3, (1 << form.exponent_place) - 1)
    sign_from = np.where(tile_kind == ONE_SIGNED, rng.integers(0, 2, tile_kind.shape), uniform >> form.sign_place)
    banded = fraction | field << form.exponent_place | sign_from * form.sign_bits << form.sign_place
    codes = np.where(tile_kind <= FINITE, uniform, banded)
    return np.where(tile_kind == ANY, codes, made_finite(form, codes))


def cancel(rng, form, a, b, chosen):
    """Make the second half of the chosen tiles' products nearly minus the first, half of the tiles in mixed order."""
    a_chosen, b_chosen, half = a[..., chosen], b[..., chosen], len(b) // 2
    a_chosen[:, half:] = a_chosen[:, :half]
    noise = rng.integers(0, 4, b_chosen.shape) * (rng.random(b_chosen.shape) < 0.125) << form.cut_bits
    b_chosen[half:] = made_finite(form, (b_chosen ^ noise)[:half] ^ 1 << form.sign_place)
    order = rng.random((2 * half, b_chosen.shape[-1])).argsort(0)
    order[:, ::2] = np.arange(2 * half)[:, None]
    a[..., chosen] = np.take_along_axis(a_chosen, order[None], 1)
    b[..., chosen] = np.take_along_axis(b_chosen, order[:, None], 0)


def draw_near(rng, unit, sums):
    """Codes close to the sums', or larger or smaller by up to a little more than the unit aligns, of random signs."""
    form, reach = unit.rounding.accumulator, unit.fraction_bits + 6
    far = rng.integers(-reach << form.fraction_bits, reach << form.fraction_bits, sums.shape)
    step = np.where(rng.random(sums.shape) < 0.75, far, rng.integers(-3, 4, sums.shape))
    magnitude = np.clip((sums & (1 << form.sign_place) - 1) + step, 0, (form.last_field << form.fraction_bits) - 1)
    return magnitude | rng.integers(0, 2, sums.shape) << form.sign_place


def draw_c(rng, unit, tile_kind, operands):
    form, shape = unit.rounding.accumulator, (ROWS, COLUMNS, len(tile_kind))
    c_kind = C_CHOICES[tile_kind, rng.integers(0, C_CHOICES.shape[1], len(tile_kind))]
    uniform = rng.integers(0, 1 << form.sign_place + 1, shape)
    sign = uniform & 1 << form.sign_place
    fraction = uniform & (1 << form.fraction_bits) - 1
    top = form.last_field - rng.integers(1, 4, shape) << form.fraction_bits
    c = np.choose(c_kind, [sign, sign | fraction, sign | top | fraction, uniform, 0 * sign])
    near = c_kind == NEAR_SUM
    chosen = {key: codes[..., near] for key, codes in operands.items()}
    c[..., near] = draw_near(rng, unit, multiply(unit, c=c[..., near], **chosen))
    return c


def draw_tiles(rng, unit, tiles):
    """The tensors [tile, ...] of one unit, results included."""
    tile_kind = rng.choice(len(TILE_SHARES), tiles, p=TILE_SHARES)
    product_exponent = rng.choice([0, -1, 1], tiles, p=[0.7, 0.2, 0.1]) * unit.rounding.accumulator.bias
    centre_a = product_exponent // 2 + rng.integers(-6, 7, tiles)
    centre_b = product_exponent - centre_a
    operands = {"a": draw_codes(rng, unit.operand, (ROWS, unit.k, tiles), tile_kind, centre_a),
                "b": draw_codes(rng, unit.operand, (unit.k, COLUMNS, tiles), tile_kind, centre_b)}
    cancelling = tile_kind == CANCELLING
    cancel(rng, unit.operand, operands["a"], operands["b"], cancelling)
    if unit.scale:
        scale_a = draw_codes(rng, unit.scale, (ROWS, unit.k // unit.block, tiles), tile_kind, centre_a)
        scale_b = draw_codes(rng, unit.scale, (unit.k // unit.block, COLUMNS, tiles), tile_kind, centre_b)
        scale_a[..., cancelling] = scale_a[:, :1, cancelling]
        scale_b[..., cancelling] = scale_b[:1, :, cancelling]
        operands |= {"scale_a": scale_a, "scale_b": scale_b}
    c = draw_c(rng, unit, tile_kind, operands)
    tensors = operands | {"c": c, "d": multiply(unit, c=c, **operands)}
    forms = {"a": unit.operand, "b": unit.operand, "scale_a": unit.scale, "scale_b": unit.scale}
    return {name: np.moveaxis(codes, -1, 0).astype(forms.get(name, unit.rounding.accumulator).code_type, "C")
            for name, codes in tensors.items()}


def main(folder, tiles, seed):
    tensors = {}
    for number, (name, unit) in enumerate(UNITS.items()):
        rng = np.random.default_rng([int(seed), number])
        sizes = [min(TILES_AT_ONCE, int(tiles) - start) for start in range(0, int(tiles), TILES_AT_ONCE)]
        parts = [draw_tiles(rng, unit, size) for size in sizes]
        tensors |= {f"{name}.{key}": np.concatenate([part[key] for part in parts]) for key in parts[0]}
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    save_file(tensors, pathlib.Path(folder) / "tiles.safetensors")


if __name__ == "__main__":
    main(*sys.argv[1:])
