# SPDX-License-Identifier: Apache-2.0
"""Claims about NaN and infinities, right and false, each with the categories in which the oracle must find it."""
import math

import numpy as np

import cases
import check
import masks
import plain
from check import FALSE, GRADIENT, LENIENT, STRICT
from problem import parse

INF, NAN = math.inf, math.nan
G_LENIENT, G_STRICT = GRADIENT + LENIENT, GRADIENT + STRICT
DROPS = next(seed for seed in range(99) if list(masks.kept(parse(f"shape=1x1x1x2x1 dropout=0.5 seed={seed}"), 0, 0)[0]) == [True, False])
DROPPED = f"shape=1x1x1x2x1 scale=1 dropout=0.5 seed={DROPS}"  # the second of two keys
HIDDEN, BIASED = "shape=1x1x1x2x1 scale=1 mask=~needle:2", "shape=1x1x1x2x1 scale=1 score=bias:key"  # of keys 0 and 1, both are needles
BACK = " pass=forward+backward"


def two(first, second, text="shape=1x1x1x2x1:1 scale=1", **more):
    """One query of 1 and two keys: (k, v) each."""
    return {"text": text, "query": [[1.0]], "key": [[first[0]], [second[0]]], "value": [[first[1]], [second[1]]], **more}


# inputs, what is claimed (± 0, accepting more), categories
FORWARD = [
    (two((0, 1.0), (0, INF)), {"out": INF}, []), (two((0, 1.0), (0, INF)), {"out": 1.0}, [FALSE]),
    (two((0, 1.0), (0, INF)), {"out": INF, "accepted": [NAN]}, [LENIENT]),
    (two((0, -INF), (0, INF)), {"out": NAN}, []), (two((0, 1.0), (0, NAN)), {"out": 1.0}, [FALSE]),
    (two((0, 1.0), (-800, INF)), {"out": 1.0, "accepted": [INF, NAN]}, [FALSE]),  # 1 - e^-800 is not 1 ± 0
    (two((0, 0.0), (-800, INF)), {"out": 0.0, "accepted": [INF, NAN]}, []), (two((0, 0.0), (-800, INF)), {"out": 0.0}, [STRICT]),
    (two((0, 0.0), (-86, INF)), {"out": INF, "accepted": [NAN, 0.0]}, []), (two((0, 0.0), (-86, INF)), {"out": INF}, [STRICT]),
    (two((0, 0.0), (-84, INF)), {"out": INF}, []), (two((0, 0.0), (-84, INF)), {"out": INF, "accepted": [0.0]}, [LENIENT]),
    (two((0, 1.0), (NAN, 1.0)), {"out": NAN}, []), (two((0, 1.0), (NAN, 1.0)), {"log_sum_exp": NAN}, []),
    (two((0, 1.0), (INF, 1.0)), {"out": 1.0}, [FALSE]), (two((0, 1.0), (INF, 1.0)), {"log_sum_exp": NAN, "accepted": [INF]}, []),
    (two((0, 1.0), (INF, 1.0)), {"log_sum_exp": INF}, [STRICT]), (two((0, 1.0), (-INF, 1.0)), {"out": 1.0, "accepted": [NAN]}, []),
    (two((0, 1.0), (-INF, 1.0)), {"out": 1.0}, [STRICT]), (two((0, 1.0), (-INF, 1.0)), {"log_sum_exp": NAN}, [STRICT]),
    (two((0, 1.0), (-INF, 1.0)), {"log_sum_exp": 0.0, "accepted": [NAN]}, []),
    (two((-INF, 1.0), (-INF, 1.0)), {"out": NAN, "accepted": [0.0]}, []), (two((-INF, 1.0), (-INF, 1.0)), {"out": 0.0}, [STRICT]),
    (two((-INF, 1.0), (-INF, INF)), {"out": 0.0, "accepted": [NAN, INF]}, [LENIENT]),
    (two((-INF, 1.0), (-INF, 1.0)), {"log_sum_exp": -INF, "accepted": [NAN]}, []),
    (two((NAN, NAN), (NAN, INF), HIDDEN), {"out": 0.0}, []), (two((NAN, NAN), (NAN, INF), HIDDEN), {"out": NAN}, [FALSE]),
    (two((0, 0.5), (0, NAN), DROPPED), {"out": 0.5, "accepted": [0.5, NAN]}, []),
    (two((0, 0.5), (0, NAN), DROPPED), {"out": 0.5, "accepted": [0.75, NAN]}, [FALSE]),
    (two((0, 0.5), (0, 0.5)), {"out": 0.5, "accepted": [0.75]}, [LENIENT]), (two((0, 0.5), (0, NAN), DROPPED), {"out": NAN}, [STRICT]),
    (two((0, NAN), (0, 0.5), DROPPED), {"out": 0.5, "accepted": [NAN]}, [LENIENT]),
    (two((0, 3.0), (NAN, NAN), BIASED, bias=[[5.0, -INF]]), {"out": 3.0}, []),
    (two((0, 3.0), (NAN, NAN), BIASED, bias=[[5.0, -INF]]), {"out": NAN}, [FALSE]),
    (two((0, 3.0), (0, NAN), BIASED, bias=[[-INF, -INF]]), {"log_sum_exp": -INF}, []),
    (two((INF, 3.0), (0, 1.0), "shape=1x1x1x2x1 scale=1 score=softcap:1e-30"), {"out": 1.0}, [FALSE]),
    (two((INF, 3.0), (0, 3.0), "shape=1x1x1x2x1 scale=1 score=softcap:2"), {"out": 3.0}, []),
    (two((1e-40, 3.0), (1, 3.0), "shape=1x1x1x2x1 scale=1 score=softcap:2", query=[[INF]]), {"out": 3.0}, [STRICT]),  # ∞ · 0
    (two((0, 3.0), (0, 3.0), "shape=1x1x1x2x1 scale=1 score=sink:head", sink=[[INF]]), {"out": 0.0, "accepted": [NAN]}, []),
    (two((0, 3.0), (0, 3.0), "shape=1x1x1x2x1 scale=1 score=sink:head", sink=[[INF]]), {"out": 0.0}, [STRICT]),
]

ROWS = {"text": "shape=1x1x2x2x1 scale=1" + BACK, "query": [[1.0], [0.5]], "key": [[0.5], [0.25]], "value": [[1.0], [2.0]], "dout": [[1.0], [1.0]]}
NAN_ROW = {**ROWS, "dout": [[1.0], [NAN]]}
CAUSAL = {**ROWS, "text": ROWS["text"] + " mask=causal", "dout": [[NAN], [1.0]]}  # only the second query sees the second key
INFINITE = {**ROWS, "value": [[INF], [2.0]], "dout": [[1.0], [0.0]]}
MINUS = {**ROWS, "query": [[1.0], [0.5]], "key": [[-INF], [0.25]]}
DROPS_NAN = {**two((0.5, 0.5), (0.25, NAN), DROPPED + BACK), "dout": [[1.0]]}
LARGE = {**two((300.0, 1.0), (1.0, 2.0), "shape=1x1x1x2x1 scale=1" + BACK), "query": [[200.0]], "dout": [[1.0]]}
CAPPED = {**ROWS, "text": ROWS["text"] + " score=softcap:2", "query": [[INF], [0.5]]}
VANISHES = {**two((1.0, 1.0), (-7.0, NAN), "shape=1x1x1x2x1 scale=1 dtype=e4m3>f32" + BACK), "dout": [[1.0]]}
BESIDE_OVERFLOW = {**two((1.0, 1e5), (-100.0, NAN), "shape=1x1x1x2x1 scale=1 dtype=bf16>f16" + BACK), "dout": [[1.0]]}
HALF_NAN = {**two((1.0, [1.0, 1.0]), (-7.0, [2.0, 1.0]), "shape=1x1x1x2x1:2 scale=1 dtype=e4m3>f32" + BACK), "dout": [[1.0, NAN]]}
SUNK = {**two((0.5, 1.0), (0.25, 2.0), "shape=1x1x1x2x1 scale=1 score=sink:head" + BACK), "dout": [[1.0]], "sink": [[INF]]}
BESIDE_INFINITY = {**two((INF, 1.0), (0.25, 2.0), "shape=1x1x1x2x1 scale=1 score=sink:head" + BACK), "dout": [[1.0]], "sink": [[0.5]]}
SEES_NOTHING = {**SUNK, "text": SUNK["text"] + " mask=~full", "query": [[INF]], "sink": [[0.5]]}

# inputs, gradient, row (of one column), value or None for what plain doubles have of the finite inputs, bound, non_finite, categories
BACKWARD = [
    (NAN_ROW, "dquery", 1, NAN, 0, 0, []), (NAN_ROW, "dquery", 1, 0.0, 0, 0, [FALSE]), (NAN_ROW, "dquery", 1, NAN, INF, 3, [G_LENIENT]),
    (NAN_ROW, "dquery", 1, 0.0, INF, 2, [G_LENIENT]), (NAN_ROW, "dquery", 1, 0.0, 0, 1, [G_LENIENT]), (NAN_ROW, "dkey", 0, NAN, 0, 0, []),
    (NAN_ROW, "dkey", 0, INF, 0, 0, [FALSE]), (NAN_ROW, "dvalue", 0, NAN, 0, 0, []),
    (NAN_ROW, "dquery", 0, None, 1e-9, 0, []), (NAN_ROW, "dquery", 0, NAN, 0, 0, [FALSE]), (NAN_ROW, "dquery", 0, None, 1e-9, 1, [G_LENIENT]),
    (NAN_ROW, "dquery", 0, None, INF, 0, []), (NAN_ROW, "dquery", 0, None, 1e-9, 3, [G_LENIENT]),
    (CAUSAL, "dkey", 1, None, 1e-9, 1, []), (CAUSAL, "dkey", 1, None, 1e-9, 0, [G_STRICT]), (CAUSAL, "dkey", 1, NAN, 0, 0, [G_STRICT]),
    (CAUSAL, "dkey", 1, 0.5, 1e-9, 1, [FALSE]), (CAUSAL, "dkey", 1, None, 1e-9, 2, [G_LENIENT]), (CAUSAL, "dkey", 1, None, INF, 1, []),
    (CAUSAL, "dvalue", 1, None, 1e-9, 1, []), (CAUSAL, "dvalue", 1, 0.0, 1e-9, 1, [FALSE]), (CAUSAL, "dkey", 0, NAN, 0, 0, []),
    (INFINITE, "dkey", 1, NAN, INF, 3, []), (INFINITE, "dkey", 1, NAN, 0, 0, [G_STRICT]), (INFINITE, "dkey", 1, 0.0, INF, 2, [G_LENIENT]),
    (INFINITE, "dkey", 1, 0.0, 1e-9, 0, [FALSE]), (INFINITE, "dquery", 1, 0.0, 0, 1, []), (INFINITE, "dquery", 1, 0.0, 0, 0, [G_STRICT]),
    (INFINITE, "dvalue", 1, None, 1e-9, 0, []), (INFINITE, "dvalue", 1, None, INF, 2, []),
    (MINUS, "dquery", 0, 0.0, 0, 1, []), (MINUS, "dquery", 0, 0.0, 0, 0, [G_STRICT]), (MINUS, "dquery", 0, 0.5, 0, 1, [FALSE]),
    (MINUS, "dvalue", 1, 2.0, 0, 1, []), (MINUS, "dvalue", 1, 2.0, INF, 2, []),
    (DROPS_NAN, "dkey", 0, None, 1e-9, 1, []), (DROPS_NAN, "dkey", 0, 0.7, 1e-9, 1, [FALSE]), (DROPS_NAN, "dkey", 0, None, 1e-9, 0, [G_STRICT]),
    (DROPS_NAN, "dkey", 0, 0.0, INF, 1, []), (DROPS_NAN, "dkey", 0, 0.0, INF, 2, []),
    (LARGE, "dkey", 0, 0.0, 1e-9, 0, []), (LARGE, "dkey", 0, 0.0, INF, 2, []), (LARGE, "dkey", 0, NAN, INF, 3, []),
    (LARGE, "dkey", 0, 1.0, 1e-9, 0, [FALSE]),
    (CAPPED, "dkey", 0, NAN, 0, 0, []), (CAPPED, "dkey", 0, 0.0, 0, 1, [G_LENIENT]), (CAPPED, "dvalue", 0, 0.0, INF, 2, []),
    (CAPPED, "dquery", 0, 0.0, 0, 0, []), (CAPPED, "dquery", 0, NAN, 0, 0, [FALSE]),
    (VANISHES, "dquery", 0, 0.0, INF, 1, []), (VANISHES, "dquery", 0, 0.0, 1e-9, 1, [G_STRICT]), (VANISHES, "dquery", 0, NAN, 0, 0, [G_STRICT]),
    (BESIDE_OVERFLOW, "dquery", 0, NAN, 0, 0, [G_STRICT]), (BESIDE_OVERFLOW, "dquery", 0, 0.0, INF, 2, []),
    (HALF_NAN, "dkey", 1, 0.0, 1e-9, 1, []), (HALF_NAN, "dkey", 1, 1e-3, 1e-9, 1, [FALSE]), (HALF_NAN, "dkey", 0, NAN, 0, 0, []),
    (SUNK, "dquery", 0, 0.0, 0, 1, []), (SUNK, "dquery", 0, 0.0, 0, 0, [G_STRICT]), (SUNK, "dvalue", 0, 0.5, 1e-9, 1, [FALSE]),
    (SUNK, "dsink", 0, 0.0, INF, 1, []), (SUNK, "dsink", 0, 0.0, INF, 2, []), (ROWS, "dquery", 0, None, INF, 0, [G_LENIENT]),
    (BESIDE_INFINITY, "dsink", 0, 0.0, 0, 1, []), (BESIDE_INFINITY, "dsink", 0, NAN, 0, 0, [G_STRICT]),
    (SEES_NOTHING, "dsink", 0, 0.0, 0, 0, []), (SEES_NOTHING, "dsink", 0, 0.0, 0, 1, [G_LENIENT]),
]


def _found(case, name, row, value, bound, non_finite=0, accepted=()):
    """The categories of one element's findings, where all that is claimed is a number (decided: 0) and what else is right."""
    right = case.claims[name]
    numbers = {"value": value, "bound": bound, "rounded": value, "decided": 0.0, "non_finite": non_finite}
    parts = [np.full(right.value.shape, number, dtype=np.float64) for number in numbers.values()]
    case.claims = {name: cases.Claim(*parts, "f64", {(0, 0, row, 0): list(accepted)} if accepted else {})}
    found = check.Checker(case, "self test").run().found
    return [category for category, text in found if f" {name}{[0, 0, row, 0]} of" in text]


def _plain(inputs, name, row):
    """What plain doubles have of a gradient when rows whose dO is NaN send nothing, and NaN and infinities of V count as 0."""
    kept = {part: np.where(np.isfinite(rows), rows, 0.0) if part in ("dout", "value") else rows for part, rows in inputs.items() if part != "text"}
    return float(plain.one_case(inputs["text"], **kept).claims[name].value[0, 0, row, 0])


def failures():
    """What the oracle does not find, or finds without need."""
    failed = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for inputs, claim, right in FORWARD:
            name, value = next((name, value) for name, value in claim.items() if name != "accepted")
            found = _found(plain.one_case(**inputs), name, 0, value, 0.0, accepted=claim.get("accepted", ()))
            failed += [] if found == right else [f"{inputs} with {claim}: {found}, not {right}"]
        for inputs, name, row, value, bound, non_finite, right in BACKWARD:
            value = _plain(inputs, name, row) if value is None else value
            found = _found(plain.one_case(**inputs), name, row, value, bound, non_finite)
            failed += [] if found == right else [f"{inputs} with {name}[{row}] = {value} ± {bound}, {non_finite}: {found}, not {right}"]
    return failed
