# SPDX-License-Identifier: Apache-2.0
"""Roundings of every narrow format by gfloat, for dtype_gfloat_test.cpp: <format>.numbers, and what they become as
<format>.<rounding>.<overflow>; numbers of int8 are multiplied by 64, as OCP MX divides them.
"""
import sys
from pathlib import Path

import numpy as np
from gfloat import RoundMode, decode_float, round_ndarray
from gfloat.formats import (format_info_ocp_e2m1, format_info_ocp_e2m3, format_info_ocp_e3m2, format_info_ocp_e4m3,
                            format_info_ocp_e5m2, format_info_ocp_e8m0, format_info_ocp_int8)
from safetensors.numpy import save_file

FORMATS = {
    "e2m1": format_info_ocp_e2m1,
    "e2m3": format_info_ocp_e2m3,
    "e3m2": format_info_ocp_e3m2,
    "e4m3": format_info_ocp_e4m3,
    "e5m2": format_info_ocp_e5m2,
    "e8m0": format_info_ocp_e8m0,
    "int8": format_info_ocp_int8,
}
WITHOUT_SPECIAL_CODES = {"e2m1", "e2m3", "e3m2", "int8"}
ROUNDINGS = {
    "nearest_even": RoundMode.TiesToEven,
    "nearest_away": RoundMode.TiesToAway,
    "toward_zero": RoundMode.TowardZero,
    "upward": RoundMode.TowardPositive,
    "downward": RoundMode.TowardNegative,
}


def critical(form):
    """Every number of the format, the middle to the next, beyond both ends, and the doubles on both sides of each."""
    numbers = np.array([decode_float(form, code).fval for code in range(2**form.bits)])
    numbers = np.unique(numbers[np.isfinite(numbers)])
    middles = (numbers[:-1] + numbers[1:]) / 2
    beyond = [numbers[-1] + (numbers[-1] - numbers[-2]) * part for part in (0.5, 1, 2)]
    places = np.concatenate([numbers, middles, beyond, -np.array(beyond), [np.inf, -np.inf]])
    return np.concatenate([np.nextafter(places, -np.inf), places, np.nextafter(places, np.inf)])


def main(folder):
    tensors = {}
    np.seterr(all="ignore")  # overflow and NaN are what is asked about
    for name, form in FORMATS.items():
        unit = 64.0 if name == "int8" else 1.0
        numbers = critical(form)
        if name == "e8m0":
            numbers = numbers[numbers >= 2.0**-127]  # it has neither sign nor zero, for which rules differ
        tensors[f"{name}.numbers"] = numbers * unit
        for rounding, mode in ROUNDINGS.items():
            for overflow, saturates in (("standard", False), ("saturate", True)):
                saturates = saturates or name in WITHOUT_SPECIAL_CODES
                tensors[f"{name}.{rounding}.{overflow}"] = round_ndarray(form, numbers, mode, saturates) * unit
    save_file(tensors, folder / "roundings.safetensors")


main(Path(sys.argv[1]))
