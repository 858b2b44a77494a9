// SPDX-License-Identifier: Apache-2.0
// The comparison of certified gradients, element by element.
#include "tests/reference/certified/backward/gradient_comparison.hpp"

#include <cmath>
#include <fmt/format.h>

#include "tests/reference/certified/backward/gradient_oracle.hpp"
#include "tests/reference/certified/forward/mpfr_oracle.hpp"

namespace attestone {
namespace {

void compare(const char* name, const Certified& found, const Real& exact, const Real& magnitude, const DType& dtype,
             GradientTally& tally) {
  OracleNumber number;
  set(number, exact.mpfr(), magnitude.mpfr());
  const double error = number.distance(found.value);
  ++tally.elements;
  tally.decided += found.decided;
  tally.zeros += found.value == 0 && found.bound == 0;
  const std::string description = fmt::format("{}: value {:a} bound {:a} error {:a} rounded {:a}", name, found.value,
                                              found.bound, error, found.rounded);
  if (!number.may_be_within(found.bound, found.value)) ++tally.violations, tally.worst = description;
  if (number.is_finer_than(found.bound)) tally.worst_ratio = std::fmax(tally.worst_ratio, error / found.bound);
  if (found.decided && !number.rounds_to(found.rounded, dtype)) ++tally.wrong_roundings, tally.worst = description;
}

/// `rows`: of the oracle's rows, those that were certified.
void compare(const char* name, const CertifiedTensor& found, const OracleTensor& exact, const std::vector<index>& rows,
             const DType& dtype, GradientTally& tally) {
  const auto& [batches, heads, count, channels] = found.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < count; ++r)
        for (index c = 0; c < channels; ++c) {
          const std::size_t at = exact.place(b, h, rows.empty() ? r : rows[static_cast<std::size_t>(r)], c);
          compare(name, found.at(b, h, r, c), exact.value[at], exact.magnitude[at], dtype, tally);
        }
}

}  // namespace

Problem backward_problem_with_features(Random& random) {
  Problem problem = problem_with_features(random);
  problem.backward = true;
  return problem;
}

void compare_with_oracle(const Problem& p, const Inputs& in, const GradientTruth& truth, GradientTally& tally) {
  const OracleGradients exact = oracle_gradients(p, in);
  compare("query", truth.query, exact.query, truth.queries, p.output, tally);
  compare("key", truth.key, exact.key, truth.keys, p.output, tally);
  compare("value", truth.value, exact.value, truth.keys, p.output, tally);
  if (truth.bias) compare("bias", *truth.bias, *exact.bias, {}, p.output, tally);
  if (truth.sink) compare("sink", *truth.sink, *exact.sink, {}, p.output, tally);
}

}  // namespace attestone
