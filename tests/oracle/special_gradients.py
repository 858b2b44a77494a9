# SPDX-License-Identifier: Apache-2.0
"""What NaN and infinities can become in gradients: every combination of a few orders of evaluation, carried out in IEEE arithmetic.

Each order is a sane way to write down rules 1 to 8; the words (see special.py) that they give for an element are what a truth can
reasonably accept there. Only the kinds count: the numbers are those of plain doubles and floats.
"""
import itertools

import numpy as np

import special

WORDS = (special.NUMBER, special.NAN, special.PLUS, special.MINUS)
CHOICES = {
    "format": (np.float64, np.float32),
    "skip_minus_infinity": (False, True),  # a pair whose score is -∞ counts as hidden
    "skip_dropped": (False, True),  # a dropped pair is left out, or multiplied by 0
    "delta_from_out": (False, True),  # δ = Σ dO∘O, or Σ p∘dP
    "empty_is_zero": (False, True),  # a row of -∞ only answers 0, or NaN
    "from_log_sum_exp": (False, True),  # p = exp(s - log_sum_exp), or exp(s - max) / sum
}


def _bits(numbers):
    """The words of numbers as bits of integers, in the order of WORDS."""
    return np.select([np.isnan(numbers), numbers == np.inf, numbers == -np.inf], [2, 4, 8], 1)


def words_of(bits):
    return {word for place, word in enumerate(WORDS) if bits >> place & 1}


def words(problem, heads):
    """{name: array of bits of words (words_of)} for one sequence's heads; shapes as in _evaluate."""
    found = {}
    for values in itertools.product(*CHOICES.values()):
        with np.errstate(all="ignore"):
            for name, array in _evaluate(problem, heads, dict(zip(CHOICES, values))).items():
                found[name] = found.get(name, 0) | _bits(array)
    return found


def _evaluate(problem, heads, order):
    """The gradients of one sequence in one order: dquery, dkey, dvalue, dbias (per pair), dsink (per head)."""
    queries, keys = problem.queries, problem.keys
    result = {"dquery": np.zeros((problem.heads, queries, problem.dim)), "dkey": np.zeros((problem.kv_heads, keys, problem.dim)),
              "dvalue": np.zeros((problem.kv_heads, keys, problem.value_dim)), "dbias": np.zeros((problem.heads, queries, keys)),
              "dsink": np.zeros(problem.heads)}
    for head in heads:
        pairs, logits, dropped, sink = _head(problem, head, order)
        group = problem.kv_head(head.h)
        number = order["format"]
        scale = number(problem.scale)
        used = _used(head, order)
        where = used[..., None]
        result["dquery"][head.h] = np.where(where, logits[..., None] * head.key.astype(number)[None], 0).sum(1) * scale
        result["dkey"][group] += np.where(where, logits[..., None] * head.query.astype(number)[:, None], 0).sum(0) * scale
        taking = used & head.kept if order["skip_dropped"] else used
        result["dvalue"][group] += np.where(taking[..., None], dropped[..., None] * head.dout.astype(number)[:, None], 0).sum(0)
        result["dbias"][head.h] = np.where(used, pairs, 0)
        result["dsink"][head.h] = sink
    return result


def _used(head, order):
    return head.visible & (head.kind != -np.inf) if order["skip_minus_infinity"] else head.visible


def _head(problem, head, order):
    """dS after and before softcap, p after dropout, and the sink's gradient."""
    number = order["format"]
    query, key, value, dout = (part.astype(number) for part in (head.query, head.key, head.value, head.dout))
    used = _used(head, order)
    score = number(problem.scale) * np.einsum("id,jd->ij", query, key)
    slope = number(1)
    if problem.softcap:
        curve = np.tanh(score / number(problem.softcap))
        score, slope = number(problem.softcap) * curve, 1 - curve * curve
    if head.added is not None:
        score = score + head.added.astype(number)
    score = np.where(used, score, -np.inf)
    sink = np.full((problem.queries, 1), number(head.sink_value))
    peak = np.maximum(score.max(1, initial=-np.inf, keepdims=True), sink)
    idle = (peak == -np.inf) if order["empty_is_zero"] else ~head.visible.any(1, keepdims=True) & (peak == -np.inf)
    peak = np.where(idle, 0, peak)
    total = np.exp(score - peak).sum(1, keepdims=True) + np.exp(sink - peak)
    if order["from_log_sum_exp"]:
        level = peak + np.log(total)
        p, p_sink = np.exp(score - level), np.exp(sink - level)
    else:
        p, p_sink = np.exp(score - peak) / total, np.exp(sink - peak) / total
    p, p_sink = np.where(used & ~idle, p, 0), np.where(idle, 0, p_sink)
    taking = used & head.kept if order["skip_dropped"] else used
    factor = number(1 / (1 - problem.dropout)) * head.kept
    dropped = p * factor
    upstream = np.where(taking, np.einsum("ic,jc->ij", dout, value) * factor, 0)
    if order["delta_from_out"]:
        out = np.where(taking[..., None], dropped[..., None] * value[None], 0).sum(1)
        delta = (dout * out).sum(1, keepdims=True)
    else:
        delta = np.where(taking, p * upstream, 0).sum(1, keepdims=True)
    lit = used.any(1, keepdims=True) & ~idle
    pairs = np.where(used & ~idle, p * (upstream - delta), 0)
    to_sink = np.where(lit, p_sink * -delta, 0).sum() if head.problem.has_sink else number(0)
    return pairs, pairs * slope, dropped, to_sink
