# SPDX-License-Identifier: Apache-2.0
"""Files for safetensors_oracle_test.cpp: the Python package writes some, damages them, and says which it accepts.

cases.txt has a line for each file: its name, "written" or "damaged", "accepted" or "refused", and then for each tensor
name:dtype:extentxextent:checksum, the checksum being sum((position + 1) * byte) modulo 2^64.
"""
import random
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save

WRITTEN, DAMAGED_EACH = 50, 40
TYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int64, np.uint8, np.bool_]


def written(chance):
    tensors = {}
    for number in range(chance.randint(0, 5)):
        shape = [chance.randint(0, 4) for _ in range(chance.randint(0, 4))]
        bits = np.array([chance.randint(0, 1) for _ in range(int(np.prod(shape)))]).reshape(shape)
        tensors[f"tensor{number}"] = bits.astype(chance.choice(TYPES))
    return save(tensors, {"case": str(chance.random())} if chance.random() < 0.5 else None)


def damaged(chance, content):
    content = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(content))
        action = chance.choice(["replace", "insert", "delete", "digit"])
        if action == "replace":
            content[place] = chance.randrange(256)
        elif action == "insert":
            content.insert(place, chance.choice(b'0123456789{}[]",: '))
        elif action == "digit":
            digits = [i for i, byte in enumerate(content) if chr(byte).isdigit()]
            if digits:
                content[chance.choice(digits)] = chance.choice(b"0123456789")
        elif len(content) > 1:
            del content[place]
    return bytes(content)


def verdict(content):
    try:
        tensors = deserialize(content)
    except SafetensorError:
        return "refused"
    told = ["accepted"]
    for name, tensor in sorted(tensors):
        checksum = sum((i + 1) * byte for i, byte in enumerate(tensor["data"])) % 2**64
        told.append(f"{name}:{tensor['dtype']}:{'x'.join(map(str, tensor['shape']))}:{checksum}")
    return " ".join(told)


def main(folder):
    chance = random.Random(7)
    lines = []
    for number in range(WRITTEN):
        original = written(chance)
        versions = [("written", original)] + [("damaged", damaged(chance, original)) for _ in range(DAMAGED_EACH)]
        for part, (kind, content) in enumerate(versions):
            name = f"{number}_{part}.safetensors"
            (folder / name).write_bytes(content)
            told = verdict(content)
            if told.isascii() and told.isprintable():  # names may be damaged beyond what a line of text can hold
                lines.append(f"{name} {kind} {told}\n")
    (folder / "cases.txt").write_text("".join(lines))


main(Path(sys.argv[1]))
