# SPDX-License-Identifier: Apache-2.0
"""Checks what is claimed of the answers of exported cases, by ball arithmetic: check.py FOLDER [--jobs N] [--show N]

Every claim is first tried at 128 bits; those that the ball leaves open are tried at twice the bits, and so on. Where NaN or infinities
reach an element, its claim is compared with the kinds of answers that the admissible orders of evaluation have there. Exit status 1 if
nothing was checked, or if there is one of

violation   a number is false, or no order has anything that is claimed to be right
strict      some order has an answer that the claim denies, so that a right kernel stands accused
lenient     the claim allows a kind of answer that no order has, or does not judge a number although all inputs are finite

of an answer, or of a gradient. These are not findings, because docs/rules.md ("Orders of evaluation") leaves them open:

* "not finite" allows NaN and both infinities, also where every order has the same infinity;
* "anything" allows every finite number beside what the orders have: of a row that sees NaN or infinities in V at a pair that is dropped
  or may be left out, of such a pair in a row whose dO holds them, and of the gradient of a sink of +∞. Infinities it does not allow;
* where an intermediate may overflow nothing is demanded, but a number that is claimed all the same is checked ("undemanded");
* O and log_sum_exp are not judged where their bound is infinite; the sums of what O may be without a pair count as its number.

A claim is undecided if the ball touches the end of what is claimed at every precision, which no precision need resolve when they are
equal. It says nothing against the claim and leaves the exit status alone; exact ends and proofs.py have decided all that we met.
"""
import argparse
import collections
import math
import multiprocessing
import pathlib
import sys

import numpy as np
from flint import arb

import kinds
from answers import Answers
from cases import read
from formats import rounds_to
from problem import Unclear
from scores import exactly

FIRST_BITS, LAST_BITS, PROOF_BITS = 128, 8192, 512
LARGEST_DOUBLE = arb((1, 1024)) - arb((1, 970))  # numbers from here on round to infinity
FALSE, UNDECIDED, LENIENT, STRICT, GRADIENT = "violation", "undecided", "lenient", "strict", "gradient "
DECISIVE = (FALSE, LENIENT, STRICT, GRADIENT + LENIENT, GRADIENT + STRICT)


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
    if apart is None and not (distance <= bound or distance > bound):
        low, high = interval(value, bound)
        return True if low <= ball <= high else False if ball < low or ball > high else None
    return True if distance <= bound else False if distance > bound else None


@exactly
def interval(value, bound):
    """value - bound and value + bound, without rounding."""
    return arb(value) - arb(bound), arb(value) + arb(bound)


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
        self.all_finite = all(np.isfinite(tensor).all() for tensor in case.inputs.values())

    def run(self):
        open_claims = []
        for name, claim in self.case.claims.items():
            parts = (claim.value, claim.bound, claim.rounded, claim.decided, claim.non_finite)
            for index, *numbers in zip(np.ndindex(claim.value.shape), *(part.ravel().tolist() for part in parts)):
                if not self.answers.exists(name, index):
                    continue
                self.counted["elements"] += 1
                self.counted["without bound"] += numbers[1] == math.inf and math.isfinite(numbers[0])
                self.counted["rounded"] += numbers[3] == 1
                sets = self.answers.sets(name, index)
                admissible = claim.admissible.get(index, ())
                if sets is None:
                    open_claims.append((name, index, numbers))
                    self._only_a_number(name, index, numbers, admissible)
                else:
                    open_claims += [(name, index, claimed) for claimed in self._sets(name, index, numbers, sets, admissible)]
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
        value, bound, nearest, decided, _ = numbers
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

    def _only_a_number(self, name, index, numbers, admissible):
        """Where nothing but a number is right, no other answer than the rounded one may be accepted, and a gradient must be judged."""
        of_gradient = name not in ("out", "log_sum_exp")
        unjudged = of_gradient and numbers[1] == math.inf
        self.counted["unjudged"] += unjudged and not self.all_finite
        if numbers[4] and not unjudged or unjudged and self.all_finite:
            self._report(GRADIENT + LENIENT, name, index, numbers, self.answers.ball(name, index), "only a number is right")
        for answer in admissible:
            if answer not in (numbers[0], numbers[2]):
                self._report(LENIENT, name, index, numbers, self.answers.ball(name, index), f"accepts {answer!r} too")

    def _exact(self, rational, ball, name, index):
        """A rational number as a ball that is exact where it can be."""
        if not ball.contains(rational):
            raise AssertionError(f"{self.label}: {name}{index}: the proof {rational} lies outside the ball {ball.str(20)}")
        return arb(rational)

    def _sets(self, name, index, numbers, sets, admissible):
        """Judges an element that NaN or infinities may reach. Returns what it claims of the number that the ball encloses."""
        sure, possible = sets
        value, bound, _, _, non_finite = numbers
        of_gradient = name not in ("out", "log_sum_exp")
        if not of_gradient and math.isfinite(value) and bound == math.inf:
            return []
        accepted = self._accepted(name, index, value, bound, non_finite)
        for answer in admissible:
            accepted |= self._accepted(name, index, answer, 0.0, 0)
        number = kinds.FINITE if accepted & kinds.ANY else kinds.NUMBER if accepted & kinds.FINITE else 0
        denied = sure & ~(accepted & kinds.NOT_FINITE | number)
        beyond = accepted & (kinds.ANY | kinds.NOT_FINITE) & ~possible | (number if not possible & kinds.FINITE else 0)
        if accepted & kinds.ANY and possible & kinds.FINITE:
            self.counted["unjudged"] += 1
            beyond = 0
        why = f"accepts {kinds.names(accepted)}, some order has {kinds.names(sure)}, possible are {kinds.names(possible)}"
        self.counted["undemanded"] += not sure and not accepted & kinds.NAN
        if beyond == accepted & kinds.NOT_FINITE | number:
            self._report(FALSE, name, index, numbers, None, why)
        else:
            for category, wrong in ((STRICT, denied), (LENIENT, beyond)):
                if wrong:
                    self._report(GRADIENT + category if of_gradient else category, name, index, numbers, None, why)
        if not possible & kinds.NUMBER:
            return []
        if of_gradient:
            return [numbers] if math.isfinite(value) and bound != math.inf else []
        if self._is_empty(name, index):
            return []
        others = [(answer, math.inf, answer, 1.0, 0) for answer in admissible if math.isfinite(answer)]
        return others + ([numbers] if math.isfinite(value) else [])

    def _accepted(self, name, index, value, bound, non_finite):
        """The set of what is claimed to be right."""
        if math.isfinite(value):
            accepted = kinds.ANY if bound == math.inf else kinds.NUMBER
        else:
            accepted = kinds.NUMBER if value == -math.inf and self._is_empty(name, index) else int(kinds.of(value))
        return accepted | {0: 0, 1: kinds.NAN, 2: kinds.NOT_FINITE, 3: kinds.NOT_FINITE}[non_finite]

    def _is_empty(self, name, index):
        """Whether the number of rule 4 is -∞."""
        return name == "log_sum_exp" and self.answers.ball(name, index) is None

    def _report(self, category, name, index, numbers, ball, why=""):
        value, bound, nearest, decided, non_finite = numbers
        exact = "-inf or a word" if ball is None else ball.str(25)
        self.found.append((category, f"{category.upper()} {name}{list(index)} of '{self.case.problem.text}' ({self.label})\n"
                           f"  exact {exact}; claimed {value!r} ± {bound!r}, decided={decided:g} rounded={nearest!r} "
                           f"non_finite={non_finite:g} {why}"))


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
    print(f"claims: {totals['elements'] - totals['without bound']:,} with a bound, {totals['rounded']:,} of a rounded number, "
          f"{totals['undemanded']:,} undemanded, {totals['unjudged']:,} unjudged")
    for category in DECISIVE[1:]:
        if categories[category]:
            print(f"{category}: {categories[category]:,} elements")
    print(f"oracle: {totals['elements']:,} elements of {problems:,} problems by ball arithmetic: "
          f"{categories[FALSE]:,} violations, {categories[UNDECIDED]:,} undecided")
    return 1 if any(categories[category] for category in DECISIVE) or not totals["elements"] else 0


if __name__ == "__main__":
    sys.exit(main())
