// SPDX-License-Identifier: Apache-2.0
// Problems with every feature, and the comparison of whole truths with MPFR.
#include "tests/reference/certified/forward/oracle_comparison.hpp"

#include <cmath>
#include <fmt/format.h>

#include "tests/reference/certified/forward/mpfr_oracle.hpp"

namespace attestone {
namespace {

template <class Choice>
const Choice& one_of(const std::vector<Choice>& choices, Random& random) {
  return choices[random() % choices.size()];
}

index between(index least, index most, Random& random) {
  return least + static_cast<index>(random() % static_cast<std::uint64_t>(most - least + 1));
}

void compare(const Certified& found, const OracleNumber& exact, const DType& dtype, Tally& tally) {
  const double error = exact.distance(found.value);
  if (!exact.may_be_within(found.bound, found.value)) {
    ++tally.violations;
    tally.worst = fmt::format("value {:a} bound {:a} error {:a}", found.value, found.bound, error);
  }
  constexpr double of_double_stage = 0x1p-51;  // later bounds are little more than the rounding of `value` to a double
  if (found.bound > of_double_stage * std::fabs(found.value))
    tally.worst_ratio = std::fmax(tally.worst_ratio, error / found.bound);
  if (found.decided && !exact.rounds_to(found.rounded, dtype)) ++tally.wrong_roundings;
}

}  // namespace

Problem problem_with_features(Random& random) {
  static const std::vector<std::string> masks{
      "full", "full", "causal", "causal:top_left", "window:3:2", "window:40:0", "causal&window:9:-1", "~causal"};
  static const std::vector<std::string> scores{"",
                                               "",
                                               "",
                                               "softcap:30",
                                               "softcap:2",
                                               "alibi",
                                               "softcap:5&alibi",
                                               "sink:head",
                                               "softcap:3&sink:head",
                                               "alibi&sink:head",
                                               "relative_position:0.1",
                                               "bias:full",
                                               "bias:head&sink:head",
                                               "bias:batch",
                                               "softcap:4&bias:pair",
                                               "bias:key"};
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
  if (random() % 4 == 0) text += fmt::format(" dropout={}", one_of<double>({0.1, 0.5, 0.75, 0.99, 1e-12}, random));
  text += fmt::format(" seed={}", random() % 1000);
  if (random() % 4 == 0) {
    text += fmt::format(" lengths={}", between(0, keys, random));
    for (index b = 1; b < batch; ++b) text += fmt::format("+{}", between(0, keys, random));
  }
  return parse_problem(text);
}

void compare_with_oracle(const Problem& p, const Inputs& in, const Truth& truth, Tally& tally) {
  for (index b = 0; b < p.shape.batch; ++b)
    for (index h = 0; h < p.shape.heads; ++h)
      for (index r = 0; r < static_cast<index>(truth.queries().size()); ++r) {
        const OracleRow exact = oracle_row(p, in, b, h, truth.queries()[static_cast<std::size_t>(r)]);
        if (exact.keys == 0) {
          const double sink = exact.has_sink ? in.sink->view().value(0, h, 0, 0) : -HUGE_VAL;
          const Certified& lse = truth.log_sum_exp(b, h, r);
          if (lse.value != sink || lse.bound != 0 || !lse.decided) ++tally.violations;
          if (truth.has_max_logits() && truth.max_logits(b, h, r).value != -HUGE_VAL) ++tally.violations;
          for (index c = 0; c < p.shape.value_dim; ++c)
            if (truth.out(b, h, r, c).value != 0 || truth.out(b, h, r, c).bound != 0) ++tally.violations;
          continue;
        }
        for (index c = 0; c < p.shape.value_dim; ++c)
          compare(truth.out(b, h, r, c), *exact.out[static_cast<std::size_t>(c)], p.output, tally);
        compare(truth.log_sum_exp(b, h, r), *exact.log_sum_exp, p.log_sum_exp_dtype(), tally);
        if (truth.has_max_logits()) compare(truth.max_logits(b, h, r), *exact.max_logits, p.log_sum_exp_dtype(), tally);
      }
}

}  // namespace attestone
