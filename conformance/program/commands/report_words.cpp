// SPDX-License-Identifier: Apache-2.0
// The table of the words of reports.
#include "conformance/program/commands/report_words.hpp"

#include <fmt/format.h>
#include <string>

#include "reference/numerics/invariance.hpp"

namespace attestone::inline conformance {
namespace {

/// A line for each word that a kernel may declare.
const std::string& invariance_details() {
  static const std::string details = [] {
    std::string lines = "--declare='invariant=batch+chunks', or in what a kernel says of its numerics:\n";
    for (const InvarianceWord& word : invariance_words()) lines += fmt::format("  {:<14}{}\n", word.name, word.meaning);
    return lines;
  }();
  return details;
}

}  // namespace

// long: a table of words
const std::vector<ReportWord>& report_words() {
  static const std::vector<ReportWord> all{
      {"columns", "property", "what must be true of a kernel; attestone list properties shows their claims"},
      {"columns", "accuracy", "for each pair of input and output format, the worst of all cases"},
      {"columns", "r_det", "error / deterministic bound: the worst element's share of what rounding can do at most",
       "above 1 no kernel of the declared arithmetic gives such an answer: the case fails (docs/tolerance.md)\n"},
      {"columns", "r_prob", "error / probabilistic bound: the share of what rounding does where it goes either way",
       "at lambda = 9; terms that need not average out count in full; above 1 the case fails (docs/tolerance.md)\n"},
      {"columns", "max ulp", "the largest error, in units of the last place (ulp) of the largest element of its head",
       "how many last digits are lost at the scale of the answer; no verdict depends on it\n"},
      {"columns", "p99 ulp", "as max ulp, but only one element in a hundred is further off"},
      {"columns", "ulp", "unit in the last place: the distance between neighbouring numbers of a format",
       "'off by 12 ulp' counts neighbours between the expected number and the one that was got\n"},
      {"columns", "RMSE", "root of the mean square of the errors of O, not divided by anything"},
      {"columns", "rel. L1", "relative L1: the sum of the errors' absolute values / that of the right answer's"},
      {"columns", "relative L1", "the sum of the errors' absolute values / that of the right answer's"},
      {"columns", "1 - cosine", "one less the cosine of the angle between answer and truth: blind to a common factor"},
      {"columns", "cosine", "of the angle between answer and truth as vectors: 1 if they are parallel"},
      {"columns", "signed mean", "the mean of the errors with their signs: rounding that leans to one side shows here"},

      {"outcomes", "passed", "the case could have told right from wrong, and the kernel is right"},
      {"outcomes", "failed", "the kernel is wrong: the reason says how, the evidence where"},
      {"outcomes", "inconclusive", "the case could not have told right from wrong: it speaks neither for nor against",
       "as when an answer of all zeros would have passed as well, or a bound is infinite\n"},
      {"outcomes", "skipped", "the kernel refused the problem, or a form of it that the property asked for"},
      {"outcomes", "conforms", "no case failed, and at least one could tell"},
      {"outcomes", "does not conform", "a case failed, or the run as a whole did"},
      {"outcomes", "nothing ran", "the kernel refused every problem, or no property applied"},
      {"outcomes", "nothing was decided", "no case could tell right from wrong: see why under inconclusive"},

      {"lines", "look at", "where a fault of this kind usually sits"},
      {"lines", "where", "the batches, heads, rows and channels that hold the elements beyond their bound",
       "of the problem that failed first: the least one seldom has room for a place\n"},
      {"lines", "repro", "a command that fails again on the least problem that was found"},
      {"lines", "shared", "what all failing problems of a run have in common and no passing one",
       "one trait, or two together; said only if the chance is below 1 in 1000 that any of the traits that were tried\n"
       "would separate as many failures had they fallen on the problems at random: traits / binomial(problems, "
       "failures)\n"},
      {"lines", "pattern", "the set of wrong elements, in words that hold of problems of other extents as well",
       "said only if it is so of every wrong answer that was looked at, of other extents and inputs\n"},
      {"lines", "when", "what decides between failing and passing near the least problem, found by further calls",
       "without each thing that is named the kernel is right; what is said predicted fresh calls of either outcome\n"},
      {"lines", "kind", "a kind of fault, named only if further calls came out as it says; attestone list kinds"},
      {"lines", "also failed by",
       "properties that failed with the same reason, and the same evidence but for its numbers"},
      {"lines", "matches", "a wrong variant of attention that explains the answer, and predicted it on fresh problems",
       "several are alternatives that the problems did not tell apart\n"},
      {"lines", "worthy of class", "the arithmetic that a kernel's answers show, where it declares a better one",
       "said only if two probes agree and the answer conforms to the bounds of that class\n"},
      {"lines", "would pass", "the least declaration of a known arithmetic that explains what was beyond its bounds",
       "said only if all failures and some twenty fresh answers are within its bounds, and nothing else fails;\n"
       "of a kernel that misses the answer to its codes, others to which all answers are near\n"},
      {"lines", "memory", "the largest workspace that the kernel asked for, beside the formula that it documents"},
      {"lines", "coverage", "conclusive cases by feature: what is missing there was not tested"},
      {"lines", "reach", "the last sequence, head, row, key and channel that a bound could decide something about",
       "in each format that was asked for: a fault that begins later is beyond what was tested\n"},
      {"lines", "refused", "why the kernel took problems back, and how many"},
      {"lines", "adjusted", "what the kernel changed of its settings to suit a problem"},
      {"lines", "invariant", "what a kernel declares that the bits of a row are independent of, judged bit by bit",
       invariance_details()},
      {"lines", "time", "for orientation: the only part of a report that differs from run to run"},
      {"lines", "visible keys", "the keys that a row may use: those that neither mask, length nor bias hides"},
      {"lines", "query tile",
       "the tile of queries that an element belongs to, where the kernel says how large they are"},

      {"classes", "fp64", "double throughout"},
      {"classes", "fp32", "full f32: the default class of f32"},
      {"classes", "declared", "what a kernel from outside declares of its arithmetic"},

      {"operators", "~", "a mask's opposite: ~causal sees what causal hides, padding aside; binds tightest"},
      {"operators", "&", "between masks: both must allow a pair; between score terms: the next one"},
      {"operators", "|", "between masks: either may allow a pair; binds least"},
  };
  return all;
}

}  // namespace attestone::inline conformance
