# SPDX-License-Identifier: Apache-2.0
"""Attention and its gradients in plain doubles, with claims like those of an exporter, right or wrong on purpose: the subject on which the
oracle itself is tried."""
import math

import numpy as np

import masks
from cases import Case, Claim
from problem import parse
from scores import alibi_slopes

WRONG = {  # what a wrong implementation does, by name, and in which answers that shows
    "hidden key counted": ("out", "log_sum_exp", "dvalue"),
    "last key forgotten": ("out", "log_sum_exp", "dvalue"),
    "base 2 log_sum_exp": ("log_sum_exp",),
    "scale 1/dim": ("out", "log_sum_exp", "dquery", "dkey"),
    "softcap after the bias": ("out", "log_sum_exp"),
    "softcap's slope forgotten": ("dquery", "dkey"),
    "sink forgotten": ("out", "log_sum_exp", "dvalue"),
    "dropout not made up for": ("out", "dvalue"),
    "dropout before the softmax": ("out", "log_sum_exp"),
    "heads interleaved": ("out", "dkey", "dvalue"),
    "delta forgotten": ("dquery", "dkey", "dbias", "dsink"),
    "scale forgotten in dQ": ("dquery",),
    "dbias of the last sequence only": ("dbias",),
    "last head of a group forgotten": ("dkey", "dvalue"),
    "slopes as for a power of two": ("out", "log_sum_exp"),
    "distance from key to query": ("out", "log_sum_exp"),
}


def draw(problem, seed):
    """Inputs with few bits, so that small steps from them stay exact."""
    random = np.random.default_rng(seed)

    def tensor(*shape):
        return np.round(random.standard_normal(shape) * 64) / 64

    p = problem
    inputs = {"query": tensor(p.batch, p.heads, p.queries, p.dim), "key": tensor(p.batch, p.kv_heads, p.keys, p.dim),
              "value": tensor(p.batch, p.kv_heads, p.keys, p.value_dim)}
    if p.has_bias:
        kinds = {"key": (1, 1, 1, p.keys), "pair": (1, 1, p.queries, p.keys), "batch": (p.batch, 1, p.queries, p.keys),
                 "full": (p.batch, p.heads, p.queries, p.keys)}
        inputs["bias"] = tensor(*next(kinds[kind] for kind in kinds if f"bias:{kind}" in p.text))
    if p.has_sink:
        inputs["sink"] = tensor(1, p.heads, 1, 1)
    if p.gradients:
        inputs["dout"] = tensor(p.batch, p.heads, p.queries, p.value_dim)
    return inputs


def _head(problem, inputs, b, h, wrong):
    """Everything of one head that the answers need."""
    p, group = problem, problem.kv_head(h)
    if wrong == "heads interleaved":
        group = h % p.kv_heads
    query, key, value = inputs["query"][b, h], inputs["key"][b, group], inputs["value"][b, group]
    visible = masks.visible(p, b, h).copy()
    if wrong == "hidden key counted":
        visible[: p.query_lengths[b], : p.lengths[b]] |= np.roll(visible, 1, 1)[: p.query_lengths[b], : p.lengths[b]]
    if wrong == "last key forgotten":
        visible[:, max(p.lengths[b] - 1, 0):] = False
    added = np.zeros(visible.shape)
    if p.has_bias:
        bias = inputs["bias"]
        added = added + bias[min(b, len(bias) - 1), min(h, bias.shape[1] - 1)]
    if p.relative_position is not None:
        i, j = np.arange(p.queries)[:, None], np.arange(p.keys)[None, :]
        sign = -1 if wrong == "distance from key to query" else 1
        added = added + sign * float(np.float32(p.relative_position)) * (j - (i + p.lengths[b] - p.query_lengths[b]))
    if p.alibi:
        slope = 2.0 ** (-8 * (h + 1) / p.heads) if wrong == "slopes as for a power of two" else alibi_slopes(p.heads)[h]
        i, j = np.arange(p.queries)[:, None], np.arange(p.keys)[None, :]
        added = added - slope * abs(i + p.lengths[b] - p.query_lengths[b] - j)
    scale = 1 / p.dim if wrong == "scale 1/dim" else p.scale
    score, slope = query @ key.T * scale, 1.0
    late = added if wrong == "softcap after the bias" else 0.0
    if p.softcap:
        curve = np.tanh((score + late) / p.softcap)
        score, slope = p.softcap * curve, 1.0 if wrong == "softcap's slope forgotten" else 1 - curve**2
    score = score + added - (late if p.softcap else 0.0)
    sink = inputs["sink"][0, h, 0, 0] if p.has_sink and wrong != "sink forgotten" else -math.inf
    visible &= added != -math.inf
    kept = masks.kept(p, b, h)
    softmax_over = visible & kept if wrong == "dropout before the softmax" else visible
    score = np.where(softmax_over, score, -math.inf)
    peak = np.maximum(score.max(1, initial=-math.inf, keepdims=True), sink)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    total = np.exp(score - peak).sum(1, keepdims=True) + np.exp(sink - peak)
    with np.errstate(divide="ignore"):
        level = (peak + np.log(total))[:, 0]
    total = np.where(total > 0, total, 1.0)
    made_up = 1.0 if wrong == "dropout not made up for" else 1 / (1 - p.dropout)
    return np.exp(score - peak) / total, np.exp(sink - peak) / total, kept * made_up, slope, level, (query, key, value, group)


def answers(problem, inputs, wrong=None):
    """Every answer's tensor."""
    p = problem
    found = {"out": np.zeros((p.batch, p.heads, p.queries, p.value_dim)), "log_sum_exp": np.zeros((p.batch, p.heads, p.queries, 1))}
    if p.gradients:
        names = {"dquery": "query", "dkey": "key", "dvalue": "value", "dbias": "bias", "dsink": "sink"}
        found.update({name: np.zeros_like(inputs[of]) for name, of in names.items() if of in inputs})
    for b in range(p.batch):
        for h in range(p.heads):
            weight, sink, factor, slope, level, (query, key, value, group) = _head(p, inputs, b, h, wrong)
            found["out"][b, h] = out = weight * factor @ value
            found["log_sum_exp"][b, h, :, 0] = level / math.log(2) if wrong == "base 2 log_sum_exp" else level
            if not p.gradients:
                continue
            dout = inputs["dout"][b, h]
            delta = (dout * out).sum(1, keepdims=True) * (wrong != "delta forgotten")
            pairs = weight * (dout @ value.T * factor - delta)
            found["dquery"][b, h] = pairs * slope @ key * (1.0 if wrong == "scale forgotten in dQ" else p.scale)
            if "dsink" in found:
                found["dsink"][0, h, 0, 0] -= (sink * (dout * out).sum(1, keepdims=True)).sum() if wrong != "delta forgotten" else 0.0
            if "dbias" in found and (wrong != "dbias of the last sequence only" or b == p.batch - 1):
                target = found["dbias"]
                part = pairs[None, None]
                for axis, extent in enumerate(target.shape):
                    part = part.sum(axis, keepdims=True) if extent == 1 and axis > 1 else part
                target[min(b, len(target) - 1), min(h, target.shape[1] - 1)] += part[0, 0]
            if wrong == "last head of a group forgotten" and (h + 1) % (p.heads // p.kv_heads) == 0 and p.heads > p.kv_heads:
                continue
            found["dkey"][b, group] += (pairs * slope).T @ query * p.scale
            found["dvalue"][b, group] += (weight * factor).T @ dout
    return found


def claim(tensor, slack=1e-13):
    """A claim of f32 answers that a careful double implementation could make: slack is the relative error it admits."""
    peak = np.max(np.abs(tensor), initial=0, where=np.isfinite(tensor))
    bound = np.where(np.isfinite(tensor), slack * (np.abs(tensor) + peak), 0.0)
    with np.errstate(over="ignore"):
        low, high = np.float32(tensor - bound), np.float32(tensor + bound)
    decided = np.where(np.isfinite(tensor), (low == high).astype(float), 0.0)
    return Claim(tensor.copy(), bound, np.float64(np.float32(tensor)), decided, np.zeros(tensor.shape), "f32", {})


def case(problem, inputs, wrong=None):
    return Case(problem, inputs, {name: claim(tensor) for name, tensor in answers(problem, inputs, wrong).items()})


def one_case(text, **inputs):
    """A case with the given rows of one head, all claims as plain doubles have them."""
    problem = parse(text)
    shaped = {name: np.array(rows, dtype=float).reshape(1, 1, len(rows), -1) for name, rows in inputs.items()}
    return case(problem, shaped)
