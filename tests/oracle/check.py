# SPDX-License-Identifier: Apache-2.0
"""Checks what is claimed of the answers of exported cases, by ball arithmetic: check.py FOLDER [--jobs N] [--show N]

Every claim is first tried at 128 bits; those that the ball leaves open are tried at twice the bits, and so on. Exit status 1 if a claim
is false, or if there was none.
"""
import argparse
import collections
import math
import multiprocessing
import pathlib
import sys

import numpy as np
from flint import arb

import special
from answers import Answers
from cases import read
from formats import rounds_to
from problem import Unclear

FIRST_BITS, LAST_BITS, PROOF_BITS = 128, 8192, 512
LARGEST_DOUBLE = arb((1, 1024)) - arb((1, 970))  # numbers from here on round to infinity
FALSE, UNDECIDED, LENIENT, STRICT = "violation", "undecided", "lenient", "strict"
GRADIENT_FALSE, GRADIENT_STRICT = "gradient every order denies", "gradient some order denies"


def near(ball, value, bound, apart=None):
    """Whether |value - exact| <= bound: True, False, or None where the ball does not tell; apart is a sharper exact - value."""
    if ball is None:
        return value == -math.inf
    if math.isnan(value) or math.isinf(value):
        if math.isinf(value) and (ball if value > 0 else -ball) >= LARGEST_DOUBLE:
            return True
        return False
    if math.isnan(bound) or bound < 0:
        return False
    if bound == math.inf:
        return True
    distance = abs(ball - value if apart is None else apart)
    return True if distance <= bound else False if distance > bound else None


def rounded(ball, number, name):
    """Whether the exact number rounds to this one."""
    if ball is None:
        return number == -math.inf
    return False if math.isnan(number) else rounds_to(ball, number, name)


class Checker:
    """Checks one case; found is a list of (category, text), counted how many elements."""

    def __init__(self, case, label):
        self.case, self.label, self.found = case, label, []
        self.counted = collections.Counter()
        self.answers = Answers(case, FIRST_BITS)

    def run(self):
        open_claims = []
        for name, claim in self.case.claims.items():
            parts = (claim.value, claim.bound, claim.rounded, claim.decided)
            for index, *numbers in zip(np.ndindex(claim.value.shape), *(part.ravel().tolist() for part in parts)):
                if not self.answers.exists(name, index):
                    continue
                self.counted["elements"] += 1
                self.counted["without bound"] += numbers[1] == math.inf and math.isfinite(numbers[0])
                self.counted["rounded"] += numbers[3] == 1
                words = self.answers.words(name, index)
                admissible = claim.admissible.get(index, ())
                if words is None:
                    open_claims.append((name, index, numbers))
                    self._plain_admissible(name, index, numbers, admissible)
                else:
                    open_claims += [(name, index, claimed) for claimed in self._words(name, index, numbers, words, admissible)]
        while open_claims:
            open_claims = [left for left in map(self._try, open_claims) if left]
            if not open_claims:
                break
            if self.answers.bits >= LAST_BITS:
                for name, index, numbers in open_claims:
                    self._report(UNDECIDED, name, index, numbers, self.answers.ball(name, index))
                break
            self.answers.refine(2 * self.answers.bits)
        return self

    def _try(self, claim):
        """Decides what can be decided now; the claim if something is left."""
        name, index, numbers = claim
        value, bound, nearest, decided = numbers
        ball = self.answers.ball(name, index)
        apart = self.answers.apart(name, index, value)
        rational = self.answers.proven(name, index) if self.answers.bits == PROOF_BITS else None
        if rational is not None:
            ball, apart = self._exact(rational, ball, name, index), None
        first = near(ball, value, bound, apart)
        format_name = self.case.claims[name].format
        second = rounded(ball, nearest, format_name) if decided == 1 else True
        if first is False:
            self._report(FALSE, name, index, numbers, ball)
        elif second is False:
            self._report(FALSE, name, index, numbers, ball, f"does not round to {nearest!r} in {format_name}")
        if first is False or second is False or (first and second):
            return None
        if decided == 1 and second is None and format_name == "e4m3" and abs(nearest) >= 448:
            return None if first else claim
        return claim

    def _plain_admissible(self, name, index, numbers, admissible):
        """Where nothing but a number is right, no other answer than the rounded one may be accepted."""
        for answer in admissible:
            if answer not in (numbers[0], numbers[2]):
                self._report(LENIENT, name, index, numbers, self.answers.ball(name, index), f"accepts {answer!r} too")

    def _exact(self, rational, ball, name, index):
        """A rational number as a ball that is exact where it can be."""
        if not ball.contains(rational):
            raise AssertionError(f"{self.label}: {name}{index}: the proof {rational} lies outside the ball {ball.str(20)}")
        return arb(rational)

    def _words(self, name, index, numbers, words, admissible):
        """Judges an element that NaN or infinities reach. Returns what it claims of the number that the ball encloses."""
        must, may = words
        value, bound, _, _ = numbers
        before = len(self.found)
        claimed = {special.word(value)} | {special.word(answer) for answer in admissible}
        if must is None:
            self._gradient_words(name, index, numbers, may, claimed)
            return []
        if math.isfinite(value):
            if bound == math.inf:
                return []
            if special.NUMBER not in may and not (special.ZERO in may and near(arb(0), value, bound)):
                self._report(FALSE, name, index, numbers, None, f"right: {sorted(may)}")
        elif special.word(value) not in may and not (value == -math.inf and special.NUMBER in may and self._is_empty(name, index)):
            self._report(FALSE, name, index, numbers, None, f"right: {sorted(may)}")
        finite = {special.NUMBER, special.ZERO}
        for answer in admissible:
            if special.word(answer) not in may and not (special.word(answer) in finite and may & finite) and not (
                    answer == -math.inf and special.NUMBER in may and self._is_empty(name, index)):
                self._report(LENIENT, name, index, numbers, None, f"accepts {answer!r} too, right: {sorted(may)}")
        missing = {word for word in must if word not in claimed and not (word in finite and (
            special.NUMBER in claimed or special.MINUS in claimed and self._is_empty(name, index)))}
        if missing and len(self.found) == before:
            self._report(STRICT, name, index, numbers, None, f"accepts {sorted(claimed)}, must accept {sorted(must)}")
        if special.NUMBER not in may or self._is_empty(name, index):
            return []
        accepted = [(answer, math.inf, answer, 1.0) for answer in admissible if math.isfinite(answer)]
        return accepted + ([numbers] if math.isfinite(value) else [])

    def _is_empty(self, name, index):
        """Whether the number of rule 4 is -∞."""
        return name == "log_sum_exp" and self.answers.ball(name, index) is None

    def _gradient_words(self, name, index, numbers, may, claimed):
        value, bound, _, _ = numbers
        may = may or {special.NUMBER}
        if math.isfinite(value) and bound == math.inf:
            return
        if special.word(value) not in may:
            self._report(GRADIENT_FALSE, name, index, numbers, None, f"orders give {sorted(may)}")
        elif may - claimed:
            self._report(GRADIENT_STRICT, name, index, numbers, None, f"accepts {sorted(claimed)}, orders give {sorted(may)}")

    def _report(self, category, name, index, numbers, ball, why=""):
        value, bound, nearest, decided = numbers
        exact = "-inf or a word" if ball is None else ball.str(25)
        self.found.append((category, f"{category.upper()} {name}{list(index)} of '{self.case.problem.text}' ({self.label})\n"
                           f"  exact {exact}; claimed {value!r} ± {bound!r}, decided={decided:g} rounded={nearest!r} {why}"))


def check_file(path):
    """(counts, findings, what was not judged) of one file."""
    try:
        case = read(path)
    except Unclear as unclear:
        return collections.Counter(), [], str(unclear)
    checker = Checker(case, path.name).run()
    return checker.counted, checker.found, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="findings of a category that are printed for each problem")
    options = parser.parse_args()
    paths = sorted(options.folder.glob("case-*.safetensors"))
    totals, categories, unclear, problems = collections.Counter(), collections.Counter(), collections.Counter(), 0
    with multiprocessing.Pool(options.jobs) as pool:
        for counted, found, reason in pool.imap(check_file, paths):
            if reason:
                unclear[reason] += 1
                continue
            problems += 1
            totals += counted
            shown = collections.Counter()
            for category, text in found:
                categories[category] += 1
                shown[category] += 1
                if shown[category] <= options.show:
                    print(text, flush=True)
    for reason, count in sorted(unclear.items()):
        print(f"not judged: {count} problems with {reason}, which the rules do not define")
    print(f"claims: {totals['elements'] - totals['without bound']:,} with a bound, {totals['rounded']:,} of a rounded number")
    for category in (LENIENT, STRICT, GRADIENT_FALSE, GRADIENT_STRICT):
        if categories[category]:
            print(f"{category}: {categories[category]:,} elements")
    print(f"oracle: {totals['elements']:,} elements of {problems:,} problems by ball arithmetic: "
          f"{categories[FALSE]:,} violations, {categories[UNDECIDED]:,} undecided")
    return 1 if categories[FALSE] or not totals["elements"] else 0


if __name__ == "__main__":
    sys.exit(main())
