# SPDX-License-Identifier: Apache-2.0
"""Where a system and one of our mutants are both wrong: whether they are wrong in the same way, element by element.

The same problem has the same inputs, so the same mistake has the same numbers: the worst element is the same one, with the
same value in it, and so are the distances of the whole tensors from the truth.
"""
import math

# What two f32 computations of one formula may differ in.
SAME = 1e-5
WHOLE = ("rmse", "relative_l1", "cosine", "signed_mean")


def same_number(one, other):
    return math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)


def difference(mine, yours):
    """In what two failed cases differ; empty if they are wrong in the same way."""
    for place in ("tensor", "batch", "head", "query", "channel"):
        if mine["worst"][place] != yours["worst"][place]:
            return f"worst at another {place}: {mine['worst'][place]}, {yours['worst'][place]}"
    pairs = [("the worst element", mine["worst"]["got"], yours["worst"]["got"])]
    pairs += [(what, mine["accuracy"][what], yours["accuracy"][what]) for what in WHOLE]
    return next((f"{what} is {one:.6g}, {other:.6g}" for what, one, other in pairs if not same_number(one, other)), "")


def wrong_alike(mine, yours, prop):
    """'' if every problem that fails this property fails it with the same numbers, else the first difference."""
    failed = [{case["problem"]: case for case in judged.cases if case["property"] == prop and case["outcome"] == "failed"}
              for judged in (mine, yours)]
    if not failed[0] or failed[0].keys() != failed[1].keys():
        return f"fail other problems: {sorted(failed[0])}, {sorted(failed[1])}"
    return next((text for problem in failed[0] if (text := difference(failed[0][problem], failed[1][problem]))), "")
