// SPDX-License-Identifier: Apache-2.0
// The bounds of merges against truths in 640 bits, for plain attention.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "tests/effort.hpp"
#include "tests/reference/certified/numbers/real.hpp"
#include "tests/reference/error_bound/fills.hpp"
#include "tests/reference/error_bound/merge_case.hpp"

namespace attestone::emulation {
namespace {

/// One row in real numbers: sums relative to e^reference.
struct RealRow {
  RealRow(const Problem& problem, const Inputs& inputs, index query) {
    std::vector<Real> scores;
    for (index key = 0; key < problem.shape.keys; ++key) {
      Real s;
      for (index c = 0; c < problem.shape.dim; ++c)
        s += Real(inputs.query.view().value(0, 0, query, c)) * Real(inputs.key.view().value(0, 0, key, c));
      scores.push_back(s * Real(problem.scale()));
      if (key == 0 || reference < scores.back()) reference = scores.back();
    }
    sums.assign(static_cast<std::size_t>(problem.shape.value_dim), Real());
    for (index key = 0; key < problem.shape.keys; ++key) {
      const Real weight = exp(scores[static_cast<std::size_t>(key)] - reference);
      denominator += weight;
      for (std::size_t c = 0; c < sums.size(); ++c)
        sums[c] += weight * Real(inputs.value.view().value(0, 0, key, static_cast<index>(c)));
    }
  }

  double out_error(std::size_t channel, double got) const {
    return static_cast<double>(abs(sums[channel] / denominator - Real(got)));
  }
  double log_sum_exp_error(double got) const {
    return std::abs(std::log1p(static_cast<double>((exp(Real(got) - reference) - denominator) / denominator)));
  }

  Real reference, denominator;
  std::vector<Real> sums;
};

TEST(MergeOracle, AgreesWithTheBoundsOfEveryForm) {
  std::mt19937_64 random(19);
  double worst = 0, worst_log_sum_exp = 0;
  index elements = 0;
  for (index each = 0; elements < effort(2000, 100000); ++each) {
    const MergeForm form = std::array{MergeForm::shared_maximum, MergeForm::rescaled_sums, MergeForm::late_correction,
                                      MergeForm::sigmoid}[static_cast<std::size_t>(each % 4)];
    const std::string dtype = std::array{"f32", "f16", "bf16"}[static_cast<std::size_t>(each % 3)];
    MergeCase one = MergeCase::drawn(random, form, dtype, false);
    one.line = fmt::format("shape=1x1x2x{}x8:4 dtype={} seed={}", 1 + each % 40, dtype, each + 1);
    const Problem problem = parse_problem(one.line);
    const Numerics numerics = declared(default_numerics(problem.input, problem.output), one.recipe);
    Inputs inputs(problem);
    fill_named(one.fill).fill(problem, problem.seed, inputs);
    const ForwardBound bound(problem, inputs, numerics);
    for (index query = 0; query < problem.shape.queries; ++query) {
      const RealRow truth(problem, inputs, query);
      const Row got = answer(problem, inputs, numerics, one.recipe, 0, 0, query);
      const auto row = bound.row(0, 0, query);
      for (std::size_t c = 0; c < got.out.size(); ++c, ++elements) {
        const double error = truth.out_error(c, got.out[c]);
        ASSERT_LE(error, row->out(static_cast<index>(c))) << one.text();
        if (error > 0) worst = std::max(worst, error / row->out(static_cast<index>(c)));
      }
      const double error = truth.log_sum_exp_error(got.log_sum_exp);
      ASSERT_LE(error, row->log_sum_exp()) << one.text();
      if (error > 0) worst_log_sum_exp = std::max(worst_log_sum_exp, error / row->log_sum_exp());
    }
  }
  fmt::print("{} elements against 640 bits: worst r_det {:.3f}, log_sum_exp {:.3f}\n", elements, worst,
             worst_log_sum_exp);
}

}  // namespace
}  // namespace attestone::emulation
