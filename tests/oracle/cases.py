# SPDX-License-Identifier: Apache-2.0
"""Cases on disk: one safetensors file holds a problem's text, its inputs, and what is claimed of its answers."""
from dataclasses import dataclass

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

from problem import parse

PARTS = ("value", "bound", "rounded", "decided", "non_finite")
ANSWERS = ("out", "log_sum_exp", "dquery", "dkey", "dvalue", "dbias", "dsink")


@dataclass
class Claim:
    """Arrays of one shape: |value - exact| <= bound; where decided is 1, rounded is the exact number in the format.
    non_finite, of gradients: 0 nothing else is right, 1 NaN as well, 2 NaN and infinities as well, 3 these alone; there an infinite bound
    accepts every finite number. admissible, of O and log_sum_exp, maps an index to the list of further answers that are accepted."""
    value: np.ndarray
    bound: np.ndarray
    rounded: np.ndarray
    decided: np.ndarray
    non_finite: np.ndarray
    format: str
    admissible: dict


@dataclass
class Case:
    """The problem, the inputs by name ([batch, heads, rows, columns], doubles), and the claims by the answers' names."""
    problem: object
    inputs: dict
    claims: dict


def read(path):
    """The case of a file. Throws problem.Unclear where the rules do not define its problem."""
    with safe_open(str(path), framework="numpy") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    problem = parse(metadata["problem"])
    inputs = {name: tensor for name, tensor in tensors.items() if "." not in name}
    claims = {}
    for name in ANSWERS:
        if f"{name}.value" not in tensors:
            continue
        parts = [tensors[f"{name}.{part}"] for part in PARTS]
        admissible = {}
        for *index, answer in tensors.get(f"{name}.admissible", np.zeros((0, 5))):
            admissible.setdefault(tuple(int(n) for n in index), []).append(float(answer))
        claims[name] = Claim(*parts, metadata[f"format.{name}"], admissible)
    return Case(problem, inputs, claims)


def write(path, case):
    """Writes a case so that read() gives it back."""
    metadata, tensors = {"problem": case.problem.text}, dict(case.inputs)
    for name, claim in case.claims.items():
        metadata[f"format.{name}"] = claim.format
        for part in PARTS:
            tensors[f"{name}.{part}"] = getattr(claim, part)
        rows = [(*index, answer) for index, answers in claim.admissible.items() for answer in answers]
        tensors[f"{name}.admissible"] = np.array(rows, dtype=np.float64).reshape(len(rows), 5)
    tensors = {name: np.ascontiguousarray(tensor, dtype=np.float64) for name, tensor in tensors.items()}
    save_file(tensors, str(path), metadata)
