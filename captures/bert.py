# SPDX-License-Identifier: Apache-2.0
"""BERT in numpy: every activation is stored as float32, every sum is taken in double and in a fixed order.

The order is what makes a capture reproducible: a BLAS sums in an order of its own on each machine.
"""
import math

import numpy as np

LAYER_NORM_EPSILON = 1e-12  # layer_norm_eps of the config.json of both models

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


def softmax(scores):
    """Over the last axis, in double."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / running_sum(weights)


def attention(query, key, value):
    """Softmax attention of each head, scale 1 / sqrt(dim): [heads, rows, dim] three times, and the same back as float32."""
    out = np.empty(query.shape[:2] + value.shape[2:], dtype=np.float32)
    for head in range(len(query)):
        scores = product(query[head], key[head].T) / math.sqrt(query.shape[-1])
        out[head] = product(softmax(scores), value[head])
    return out


class Bert:
    """The encoder. weights maps a name such as "encoder.layer.0.output.dense.weight" to its array."""

    def __init__(self, weights, layers, heads):
        self.weights, self.layers, self.heads = weights, layers, heads

    def dense(self, x, name):
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return (product(x, weight.T) + bias).astype(np.float32)

    def normalised(self, x, name):
        return layer_norm(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def encoded(self, ids, attend):
        """(query, key, value) of every layer, each [heads, tokens, dim], and the last hidden states [tokens, width].

        attend(query, key, value) stands in for softmax attention and returns [heads, tokens, dim].
        """
        table = {part: self.weights[f"embeddings.{part}_embeddings.weight"] for part in ("word", "position", "token_type")}
        hidden = table["word"][ids] + table["position"][: len(ids)] + table["token_type"][0]
        hidden = self.normalised(hidden, "embeddings.LayerNorm")
        rows, width = hidden.shape
        layers = []
        for number in range(self.layers):
            layer = f"encoder.layer.{number}."
            projected = (self.dense(hidden, layer + "attention.self." + part) for part in ("query", "key", "value"))
            heads = [np.ascontiguousarray(x.reshape(rows, self.heads, -1).transpose(1, 0, 2)) for x in projected]
            layers.append(heads)
            mixed = attend(*heads).transpose(1, 0, 2).reshape(rows, width)
            attended = hidden + self.dense(mixed, layer + "attention.output.dense")
            attended = self.normalised(attended, layer + "attention.output.LayerNorm")
            wide = gelu(self.dense(attended, layer + "intermediate.dense"))
            hidden = attended + self.dense(wide, layer + "output.dense")
            hidden = self.normalised(hidden, layer + "output.LayerNorm")
        return layers, hidden
