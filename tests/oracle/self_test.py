# SPDX-License-Identifier: Apache-2.0
"""Tries the oracle itself: known answers, derivatives by small steps, and false claims, each of which must be found. No output but failures."""
import dataclasses
import math
import pathlib
import sys
import tempfile

import numpy as np
from flint import arb, ctx, fmpq

import cases
import check
import masks
import orders
import philox
import plain
import proofs
import scores
import special_trials
from answers import Answers
from formats import rounds_to
from problem import parse

failures = []
INF, NAN = math.inf, math.nan

PROBLEMS = [
    "shape=2x4/2x5x6x3:2 lengths=4+6 query_lengths=5+3 mask=causal score=softcap:2&bias:pair pass=forward+backward seed=3",
    "shape=2x3/1x4x7x4 mask=window:2:1|needle:3 score=alibi&sink:head dropout=0.3 scale=0.4 pass=forward+backward seed=5",
    "shape=1x6/3x6x6x2:5 mask=~prefix:2&dense:60 score=softcap:1.5&bias:batch&sink:head dropout=0.1 pass=forward+backward seed=11",
    "shape=2x2x5x5x3 mask=document:2|block:2&~causal:top_left score=bias:key&sink:head scale=-0.7 pass=forward+backward seed=13",
    "shape=2x2x3x4x2 score=softcap:3&bias:full pass=forward+backward seed=17",
    "shape=1x2x4x6x3 mask=causal score=relative_position:0.3&sink:head pass=forward+backward seed=19",
]


def expect(condition, what):
    if not condition:
        failures.append(what)


def findings(case, category=check.FALSE):
    """(answer's name, text) of each finding of a category."""
    return [text.split("[")[0].split()[-1] for found, text in check.Checker(case, "self test").run().found if found == category]


def known_random_words():
    """The known answers of Random123 for philox4x32_10."""
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), 0x299F31D0A4093822
    for counter, seed, words in (((0,) * 4, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
                                 ((0xFFFFFFFF,) * 4, 2**64 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
                                 (*pi, (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1))):
        expect(tuple(int(word) for word in philox.philox(counter, seed)) == words, f"Philox of {counter}")


def picture(text):
    problem = parse(text)
    return ["".join("#" if seen else "." for seen in row) for row in masks.visible(problem, 0, 0)]


def masks_by_hand():
    for mask, rows in {
        "full": "##### ##### #####", "causal": "###.. ####. #####", "causal:top_left": "#.... ##... ###..",
        "window:1:0": ".##.. ..##. ...##", "window:0:1": "..##. ...## ....#", "window:-1:0": "###.. ####. #####",
        "window:1:-1": ".#### ..### ...##", "prefix:4": "####. ####. #####", "prefix:0": "###.. ####. #####",
        "needle:3": "#.##. #..#. #..##", "dilated:2": "#.#.# .#.#. #.#.#", "~causal": "...## ....# .....",
        "~causal|window:0:0&~needle:4": "...## ....# .....", "~(causal|window:0:1)": "....# ..... .....", "document:1": "##### ##### #####",
        "chunk:4": "####. ####. ....#", "block_causal:3": "###.. ##### #####", "indices:0": "..... ..... .....",
    }.items():
        expect(picture(f"shape=1x1x3x5x1 mask={mask}") == rows.split(), f"mask {mask}: {picture(f'shape=1x1x3x5x1 mask={mask}')}")
    expect(picture("shape=1x1x1x5x1 mask=tree:7") == ["#####"], "one token sees all keys before it, and itself")
    expect(picture("shape=1x1x3x2x1 mask=tree:7")[:2] == ["..", "#."], "token 0 stands before all keys")
    expect(picture("shape=1x1x3x5x1 lengths=3 query_lengths=2 mask=~window:0:0") == ["#.#..", "##...", "....."], "~ reveals padding")
    expect(picture("shape=1x1x4x2x1 mask=causal") == ["..", "..", "#.", "##"], "more queries than keys")
    expect(picture("shape=1x1x4x2x1 mask=document:1") == ["..", "..", "##", "##"], "a query before all keys is in no document")
    problem = parse("shape=3x2x64x64x1 mask=document:4 seed=9")
    documents = masks.visible(problem, 1, 0)
    expect((documents == masks.visible(problem, 1, 1)).all() and (documents == documents.T).all(), "documents differ from head to head")
    begins = [int(philox.philox((masks.DRAWN + n // 4, 0, 0, 2**31 + 1), 9)[n % 4]) * 65 >> 32 for n in (1, 2, 3)]
    number = [sum(key >= begin for begin in begins) for key in range(64)]
    expect(all(documents[i, j] == (number[i] == number[j]) for i in range(64) for j in range(64)), "documents lie elsewhere")
    dense = masks.visible(parse("shape=3x2x9x9x1 mask=dense:30 seed=9"), 2, 1)
    words = [[int(philox.philox((3 * 2**30 + j // 4, i, 1, 2), 9)[j % 4]) for j in range(9)] for i in range(9)]
    expect(all(dense[i, j] == (words[i][j] * 100 < 30 * 2**32) for i in range(9) for j in range(9)), "dense pairs lie elsewhere")
    block = masks.visible(parse("shape=3x2x9x25x1 mask=block:3 seed=9"), 2, 1)
    words = [[int(philox.philox((3 * 2**30 + 2**29 + j // 4, i, 1, 2), 9)[j % 4]) for j in range(9)] for i in range(3)]
    expect(all(block[i, j] == (words[i // 3][j // 3] < 2**31) for i in range(9) for j in range(25)), "blocks lie elsewhere")


def dropout_by_hand():
    word = int(philox.philox((1, 1, 2, 3), 9)[0])
    kept = masks.kept(parse(f"shape=2x2x3x4x1 dropout={word / 2**32!r} seed=9"), 1, 1)
    words = [[int(philox.philox((1, 1, i, j), 9)[0]) for j in range(4)] for i in range(3)]
    expect(kept.tolist() == [[drawn >= word for drawn in row] for row in words], "dropout keeps other pairs, or drops the word at its rate")


def slopes_by_hand():
    expect(scores.alibi_slopes(8) == [2.0**-n for n in range(1, 9)], "slopes of 8 heads")
    expect(scores.alibi_slopes(6) == [2.0**-n for n in (2, 4, 6, 8, 1, 3)], "slopes of 6 heads")
    halves = [float(np.float32(2.0**-(n + 0.5))) for n in range(4)]
    expect(scores.alibi_slopes(12) == [2.0**-n for n in range(1, 9)] + halves, "slopes of 12 heads")


def closed_forms():
    case = plain.one_case("shape=1x1x1x3x1:2 scale=1", query=[[2.0]], key=[[0.5], [0.5], [-1e30]], value=[[1.0, 4.0], [1.0, 4.0], [0.0, 4.0]])
    answers = Answers(case, 256)
    expect(abs(answers.ball("log_sum_exp", (0, 0, 0, 0)) - 1 - arb(2).log()) < 1e-70, "log_sum_exp of two equal scores")
    shift = answers.apart("out", (0, 0, 0, 0), 1.0)
    expect(shift < 0 and shift > -arb(-1e30).exp() and answers.ball("out", (0, 0, 0, 1)) == 4, "a far key shifts O by less than e^-1e30")
    case = plain.one_case("shape=1x1x1x1x1 scale=1 score=sink:head", query=[[3.0]], key=[[1.0]], value=[[5.0]], sink=[[1.0]])
    answers = Answers(case, 256)
    expect(abs(answers.ball("out", (0, 0, 0, 0)) - 5 / (1 + arb(-2).exp())) < 1e-70, "a sink takes mass")
    case = plain.one_case("shape=1x1x2x1x1 mask=window:0:0 scale=1 score=sink:head", query=[[3.0]] * 2, key=[[1.0]], value=[[5.0]], sink=[[-7.0]])
    answers = Answers(case, 256)
    expect(answers.ball("out", (0, 0, 0, 0)) == 0 and answers.ball("log_sum_exp", (0, 0, 0, 0)) == -7, "an empty row beside a sink")
    case = plain.one_case("shape=1x1x1x3x1", query=[[0.0]], key=[[1.0]] * 3, value=[[1.0], [1.0], [4.0]])
    expect(proofs.out(Answers(case, 128).heads[0, 0], 0, 0) == fmpq(2), "the mean of 1, 1 and 4 is proven to be 2")
    ctx.prec = 128
    for tiny, right in ((arb(1) / 3 * arb((1, -9999)), True), (-arb(1) / 3 * arb((1, -9999)), False)):
        expect(all(check.near(tiny, end, end) is right for end in (1e-70, 3e-70, 7e-76)), f"{tiny.str(9)} lies on the side of its claim: {right}")
    for number, name, ball, right in ((1.0, "f32", arb(1) + arb((1, -24)), True), (1.0, "f32", arb(1) + arb((1, -23)), False),
                                      (1.0, "f32", arb(1) - arb((1, -25)), True), (1.0, "f32", arb(1) - arb((3, -26)), False),
                                      (1 + 2.0**-23, "f32", arb(1) + arb((1, -24)), False), (INF, "f16", arb(65520), True),
                                      (65504.0, "f16", arb(65520), False), (65504.0, "f16", arb(65519), True), (0.0, "f64", arb((1, -1075)), True),
                                      (0.0, "bf16", arb((3, -135)), False), (2.0**-133, "bf16", arb((3, -135)), True), (0.1, "f32", arb(0.1), False)):
        expect(rounds_to(ball, number, name) is right, f"{ball.str(20)} rounds to {number} in {name}: {right}")


def loss(case):
    """Σ dO·O, at the present precision."""
    answers = Answers(case, ctx.prec)
    return sum((answers.ball("out", index) * float(d) for index, d in np.ndenumerate(case.inputs["dout"])), arb(0))


def derivatives(text):
    """Central differences over a step of 2^-30 are off by about 2^-60 of the third derivative."""
    problem = parse(text)
    inputs = plain.draw(problem, problem.seed)
    case = plain.case(problem, inputs)
    ctx.prec = 256
    random = np.random.default_rng(problem.seed)
    for name, claim in case.claims.items():
        if name in ("out", "log_sum_exp"):
            continue
        places = list(np.ndindex(claim.value.shape))
        for number in random.choice(len(places), min(4, len(places)), replace=False):
            index = places[number]
            ends = []
            for step in (2.0**-30, -(2.0**-30)):
                moved = {key: tensor.copy() for key, tensor in inputs.items()}
                moved[name[1:]][index] += step
                ends.append(loss(dataclasses.replace(case, inputs=moved)))
            slope = (ends[0] - ends[1]) * 2**29
            exact = Answers(case, 256).ball(name, index)
            expect(abs(slope - exact) < arb(1e-14), f"{name}{index} of '{text}': {exact.str(15)}, by steps {slope.str(15)}")


def right_claims_hold(text):
    problem = parse(text)
    case = plain.case(problem, plain.draw(problem, problem.seed))
    expect(not check.Checker(case, "self test").run().found, f"a right claim is denied: {text} {check.Checker(case, '').run().found[:1]}")
    with tempfile.TemporaryDirectory() as folder:
        cases.write(pathlib.Path(folder) / "case-000000.safetensors", case)
        again = cases.read(pathlib.Path(folder) / "case-000000.safetensors")
    expect(all((again.claims[name].value == claim.value).all() for name, claim in case.claims.items()), f"files change {text}")


def false_claims_are_found():
    """Wrong numbers, then claims about right numbers that say too much; each is seen in every answer that it changes."""
    seen = {name: set() for name in plain.WRONG}
    for text in PROBLEMS:
        problem = parse(text)
        inputs = plain.draw(problem, problem.seed)
        for wrong in plain.WRONG:
            seen[wrong] |= set(findings(plain.case(problem, inputs, wrong)))
        for name in plain.answers(problem, inputs):
            for what, spoil in SPOILS.items():
                case = plain.case(problem, inputs)
                claim = case.claims[name]
                place = max(np.ndindex(claim.value.shape), key=lambda at: abs(claim.value[at]) if math.isfinite(claim.value[at]) else -1)
                spoil(claim, place)
                expect(findings(case) == [name], f"{what} is not found in {name}{place} of '{text}': {findings(case)}")
    for wrong, names in plain.WRONG.items():
        expect(set(names) <= seen[wrong], f"'{wrong}' is found in {sorted(seen[wrong])} only, not in {names}")


def _rounded_up(claim, place):
    claim.rounded[place], claim.decided[place] = np.nextafter(np.float32(claim.rounded[place]), np.float32(INF)), 1


def _off(claim, place):
    claim.value[place], claim.bound[place] = claim.value[place] + 1e-12, 1e-13


SPOILS = {
    "a value off by 1e-12": _off,
    "a rounded number one above": _rounded_up,
    "a bound of 0": lambda claim, place: (claim.value.__setitem__(place, np.nextafter(claim.value[place], INF)), claim.bound.__setitem__(place, 0.0)),
    "a negative bound": lambda claim, place: claim.bound.__setitem__(place, -1.0),
    "a bound that is no number": lambda claim, place: claim.bound.__setitem__(place, NAN),
    "NaN": lambda claim, place: claim.value.__setitem__(place, NAN),
    "an infinity": lambda claim, place: claim.value.__setitem__(place, INF),
}


def main():
    known_random_words()
    masks_by_hand()
    dropout_by_hand()
    slopes_by_hand()
    closed_forms()
    for text in PROBLEMS:
        right_claims_hold(text)
        derivatives(text)
    false_claims_are_found()
    failures.extend(special_trials.failures() + orders.failures())
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
