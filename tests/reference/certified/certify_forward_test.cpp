// SPDX-License-Identifier: Apache-2.0
// No bound is ever violated, and every rounding that is called decided is correct: against MPFR, on hard inputs.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "reference/certified/truth.hpp"
#include "tests/effort.hpp"
#include "tests/reference/certified/adversarial_fills.hpp"
#include "tests/reference/certified/mpfr_oracle.hpp"

namespace attestone {
namespace {

template <class Choice>
const Choice& one_of(const std::vector<Choice>& choices, Random& random) {
  return choices[random() % choices.size()];
}

index between(index least, index most, Random& random) {
  return least + static_cast<index>(random() % static_cast<std::uint64_t>(most - least + 1));
}

Problem random_problem(Random& random) {
  static const std::vector<std::string> masks{
      "full", "full", "causal", "causal:top_left", "window:3:2", "window:40:0", "causal&window:9:-1", "~causal"};
  static const std::vector<std::string> scores{"", "", "", "softcap:30", "softcap:2", "alibi", "softcap:5&alibi"};
  static const std::vector<std::string> dtypes{"f32",      "f32",      "bf16",      "f16",      "f64",
                                               "bf16>f32", "f32>bf16", "e4m3>bf16", "f16>e5m2", "f32>e4m3"};
  const index group = between(1, 3, random), kv_heads = between(1, 2, random), batch = between(1, 2, random);
  const index keys = random() % 8 == 0 ? between(65, 200, random) : between(1, 24, random);
  const index queries = random() % 4 == 0 ? between(1, 20, random) : between(1, 4, random);
  std::string text = fmt::format("shape={}x{}/{}x{}x{}x{}:{} mask={} dtype={} layout={}", batch, group * kv_heads,
                                 kv_heads, queries, keys, between(1, 20, random), between(1, 9, random),
                                 one_of(masks, random), one_of(dtypes, random), random() % 2 ? "bhsd" : "bshd");
  if (const std::string& score = one_of(scores, random); !score.empty()) text += " score=" + score;
  if (random() % 4 == 0) text += fmt::format(" scale={}", std::ldexp(static_cast<double>(between(1, 99, random)), -6));
  if (random() % 4 == 0) {
    text += fmt::format(" lengths={}", between(0, keys, random));
    for (index b = 1; b < batch; ++b) text += fmt::format("+{}", between(0, keys, random));
  }
  return parse_problem(text);
}

/// What was seen of one fill.
struct Tally {
  Decisions decisions;
  double worst_ratio = 0;  ///< error / bound
  index violations = 0, wrong_roundings = 0;
  std::string worst;  ///< the last violation
};

void compare(const Certified& found, const OracleNumber& exact, const DType& dtype, Tally& tally) {
  const double error = exact.distance(found.value);
  constexpr double oracle_error = 0x1p-600;
  if (!(error <= found.bound + oracle_error * exact.magnitude)) {
    ++tally.violations;
    tally.worst = fmt::format("value {:a} bound {:a} error {:a}", found.value, found.bound, error);
  }
  if (found.bound > 0) tally.worst_ratio = std::fmax(tally.worst_ratio, error / found.bound);
  if (found.decided && !exact.rounds_to(found.rounded, dtype)) ++tally.wrong_roundings;
}

void compare(const Problem& p, const Inputs& in, const Truth& truth, Tally& tally) {
  for (index b = 0; b < p.shape.batch; ++b)
    for (index h = 0; h < p.shape.heads; ++h)
      for (index r = 0; r < static_cast<index>(truth.queries().size()); ++r) {
        const OracleRow exact = oracle_row(p, in, b, h, truth.queries()[static_cast<std::size_t>(r)]);
        if (exact.keys == 0) {
          const Certified& lse = truth.log_sum_exp(b, h, r);
          if (lse.value != -std::numeric_limits<double>::infinity() || lse.bound != 0 || !lse.decided)
            ++tally.violations;
          for (index c = 0; c < p.shape.value_dim; ++c)
            if (truth.out(b, h, r, c).value != 0 || truth.out(b, h, r, c).bound != 0) ++tally.violations;
          continue;
        }
        for (index c = 0; c < p.shape.value_dim; ++c)
          compare(truth.out(b, h, r, c), *exact.out[static_cast<std::size_t>(c)], p.output, tally);
        compare(truth.log_sum_exp(b, h, r), *exact.log_sum_exp, p.log_sum_exp_dtype(), tally);
      }
}

void add(Decisions& sum, const Decisions& d) {
  sum.in_double += d.in_double;
  sum.in_double_double += d.in_double_double;
  sum.in_mpfr += d.in_mpfr;
  sum.ties += d.ties;
  sum.undecided += d.undecided;
}

TEST(CertifyForward, NeverLeavesItsBoundAndNeverRoundsWrongly) {
  fmt::print("{:18} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>12}\n", "fill", "elements", "double", "dbl-dbl", "MPFR",
             "ties", "undecided", "error/bound");
  const index elements = effort(10'000, 1'000'000) / static_cast<index>(adversarial_fills().size());
  Random random(20240607);
  for (const AdversarialFill& fill : adversarial_fills()) {
    Tally tally;
    while (tally.decisions.total() < elements) {
      const Problem problem = random_problem(random);
      Inputs inputs(problem);
      fill.fill(problem, inputs, random);
      const Truth truth = certify_forward(problem, inputs);
      compare(problem, inputs, truth, tally);
      add(tally.decisions, truth.decisions);
      ASSERT_EQ(tally.violations, 0) << fill.name << ": " << problem.text() << "\n" << tally.worst;
      ASSERT_EQ(tally.wrong_roundings, 0) << fill.name << ": " << problem.text();
    }
    const Decisions& d = tally.decisions;
    fmt::print("{:18} {:9} {:9} {:9} {:9} {:9} {:9} {:12.3g}\n", fill.name, d.total(), d.in_double, d.in_double_double,
               d.in_mpfr, d.ties, d.undecided, tally.worst_ratio);
  }
}

}  // namespace
}  // namespace attestone
