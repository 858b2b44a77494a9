# SPDX-License-Identifier: Apache-2.0
"""One head's gradients in plain floating point, in some of the admissible orders of evaluation: the sets of special_gradients.py must
hold what comes out."""
import itertools

import numpy as np

import kinds
import plain
from answers import Answers
from problem import parse

CHOICES = {
    "format": (np.float64, np.float32),
    "skip_minus_infinity": (False, True),  # a pair whose score is -∞ is left out
    "skip_dropped": (False, True),  # a dropped pair is left out, or multiplied by 0
    "skip_hidden": (False, True),  # a hidden pair is left out, or multiplied through with P = 0
    "delta_from_out": (False, True),  # δ = Σ dO∘O, or Σ p∘dP
    "guarded": (False, True),  # a maximum of -∞ counts as 0, and nothing is divided by a sum of 0
    "from_log_sum_exp": (False, True),  # p = exp(s - log_sum_exp), or exp(s - max) / sum
}
PROBLEMS = [
    "shape=1x1x4x5x3:2 mask=causal dropout=0.4 score=bias:full&sink:head pass=forward+backward seed=3",
    "shape=1x1x4x5x3:2 mask=causal score=softcap:2&bias:full pass=forward+backward seed=5",
    "shape=1x1x4x5x2 score=sink:head scale=-0.5 pass=forward+backward seed=7",
]


def gradients(head, **order):
    """The gradients of one head by name; hidden pairs hold the number 1 in K and V."""
    problem, number = head.problem, order["format"]
    query, key, value, dout = (part.astype(number) for part in (head.query, head.key, head.value, head.dout))
    used = head.visible & (head.kind != -np.inf) if order["skip_minus_infinity"] else head.visible
    score, slope = query @ key.T * number(problem.scale), number(1)
    if problem.softcap:
        curve = np.tanh(score / number(problem.softcap))
        score, slope = number(problem.softcap) * curve, 1 - curve * curve
    score = np.where(used, score if head.added is None else score + head.added.astype(number), -np.inf)
    p, p_sink = _weights(score, np.full((problem.queries, 1), number(head.sink_value)), order)
    p = np.where(used, p, 0)
    seen = used & head.kept if order["skip_dropped"] else used
    factor = number(1 / (1 - problem.dropout)) * head.kept
    upstream = np.where(seen, dout @ value.T * factor, 0)
    if order["delta_from_out"]:
        delta = (dout * np.where(seen[..., None], (p * factor)[..., None] * value[None], 0).sum(1)).sum(1, keepdims=True)
    else:
        delta = np.where(seen, p * upstream, 0).sum(1, keepdims=True)
    open_pairs = used | (~head.visible & ~order["skip_hidden"])
    upstream = np.where(used, upstream, dout.sum(1, keepdims=True) + 0 * upstream)
    pairs = np.where(open_pairs, p * (upstream - delta), 0)
    logits = np.where(used, pairs * slope, pairs) * number(problem.scale)

    def through(taken, terms, axis):
        return np.where(taken[..., None], terms, 0).sum(axis)

    seen_keys = np.where(used[..., None], key[None], 1)
    return {"dquery": through(open_pairs, logits[..., None] * seen_keys, 1), "dkey": through(open_pairs, logits[..., None] * query[:, None], 0),
            "dvalue": through(seen | open_pairs & ~used, (p * factor)[..., None] * dout[:, None], 0), "dbias": pairs,
            "dsink": (p_sink * -delta).sum()[None, None]}


def _weights(score, sink, order):
    """P of the pairs and of the sink."""
    peak = np.maximum(score.max(1, keepdims=True), sink)
    peak = np.where((peak == -np.inf) & order["guarded"], 0, peak)
    total = np.exp(score - peak).sum(1, keepdims=True) + np.exp(sink - peak)
    total = np.where((total == 0) & order["guarded"], 1, total)
    level = peak + np.log(total)
    return (np.exp(score - level), np.exp(sink - level)) if order["from_log_sum_exp"] else (
        np.exp(score - peak) / total, np.exp(sink - peak) / total)


def failures(trials=12):
    """Kinds that an order has and the sets lack, where NaN and infinities lie in the inputs at random."""
    failed = []
    random = np.random.default_rng(1)
    for text, _ in itertools.product(PROBLEMS, range(trials)):
        problem = parse(text)
        inputs = plain.draw(problem, int(random.integers(1 << 30)))
        for tensor in inputs.values():
            if random.random() < 0.5:
                tensor.flat[random.integers(tensor.size)] = random.choice([np.nan, np.inf, -np.inf])
        with np.errstate(all="ignore"):
            answers = Answers(plain.case(problem, inputs), 128)
            for values in itertools.product(*CHOICES.values()):
                order = dict(zip(CHOICES, values))
                for name, numbers in gradients(answers.heads[0, 0], **order).items():
                    if name not in answers.gradient_sets[1]:
                        continue
                    possible = answers.gradient_sets[1][name][0, 0]
                    lacks = np.isnan(numbers) & (possible & kinds.NAN == 0) | np.isfinite(numbers) & (possible & kinds.FINITE == 0)
                    lacks |= np.isinf(numbers) & (kinds.of(numbers) & possible == 0)
                    failed += [f"{name}{place.tolist()} of '{text}' in {order}: {numbers[tuple(place)]}" for place in np.argwhere(lacks)]
    return failed
