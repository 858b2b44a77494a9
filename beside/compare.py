# SPDX-License-Identifier: Apache-2.0
"""Where a system and one of our mutants are both wrong: whether they are wrong in the same way.

The same problem has the same inputs, so the same mistake has the same errors, and every figure of them is the same but for
the roundings of two computations in f32. Which element is the worst is not compared: that depends on what is declared.
"""
import math

SAME = 1e-5
NOTHING = 1e-7  # a mean error of this size is the roundings of f32
FIGURES = ("max_ulp", "p99_ulp", "rmse", "relative_l1", "cosine", "signed_mean")


def difference(mine, yours):
    """Of two failed cases of one problem; empty if they are wrong in the same way."""
    pairs = {figure: (mine["accuracy"][figure], yours["accuracy"][figure]) for figure in FIGURES}
    return ", ".join(f"{figure} is {one:.8g}, not {other:.8g}" for figure, (one, other) in pairs.items()
                     if not math.isclose(one, other, rel_tol=SAME, abs_tol=NOTHING))


def wrong_alike(mine, yours):
    """Empty if the same problems fail gradient_bound, with the same errors."""
    failed, others = ({case["problem"]: case for case in judged.cases
                       if case["property"] == "gradient_bound" and case["outcome"] == "failed"} for judged in (mine, yours))
    if not failed or failed.keys() != others.keys():
        return f"fail other problems: {sorted(failed)}, {sorted(others)}"
    return "; ".join(filter(None, (difference(failed[problem], others[problem]) for problem in failed)))
