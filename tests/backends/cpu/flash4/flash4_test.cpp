// SPDX-License-Identifier: Apache-2.0
// FlashAttention-4 against a program of another author, who had seen its source alone.
#include <cmath>
#include <gtest/gtest.h>

#include "backends/cpu/flash4/flash4_head.hpp"
#include "tests/effort.hpp"
#include "tests/python_oracle.hpp"
#include "tests/told_tensors.hpp"

namespace attestone {
namespace {

struct Case {
  const char *name, *problem;
};
constexpr Case cases[] = {{"full", "shape=1x1x150x300x64 dtype=f16"},
                          {"wide", "shape=1x1x300x520x128 dtype=f16"},
                          {"late", "shape=1x1x60x700x64 dtype=bf16 scale=1.5"},
                          {"causal", "shape=1x1x300x300x64 dtype=bf16 mask=causal scale=0.7"},
                          {"short", "shape=1x1x33x21x128 dtype=f16 scale=0.3"},
                          {"nan", "shape=1x1x30x256x64 dtype=f16"},
                          {"nan_causal", "shape=1x1x256x256x64 dtype=bf16 mask=causal"}};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Answers that are not the program's: of numbers of O the share, of rows how many.
struct Strangers {
  double out = 0;
  index few_ulp = 0;       ///< whose log_sum_exp is more than a few ulp from the program's
  index beyond_bound = 0;  ///< is further from it than what both round allows
};

constexpr double few_ulp = 0x1p-21;  // exponentials and logarithms are not those of the same library

/// How far log_sum_exp of a row of the first so many keys may be from the program's, whose scores are rounded once. The
/// unit aligns a group's terms, of which there is one more, to two bits behind those of f32, and cuts its sum to f32.
/// Beside that sums of weights are rounded, weight by weight.
double log_sum_exp_bound(const Problem& problem, const Inputs& inputs, index query, index keys, double log_sum_exp) {
  constexpr double cut = 0x1p-23;
  constexpr index group = 16;
  const index dim = problem.shape.dim;
  double size = 0;
  for (index j = 0; j < keys; ++j) {
    double products = 0;
    for (index c = 0; c < dim; ++c)
      products += std::fabs(inputs.query.view().value(0, 0, query, c) * inputs.key.view().value(0, 0, j, c));
    size = std::fmax(size, products);  // NaN is left out
  }
  const double of_score = static_cast<double>(dim / group) * (static_cast<double>(group + 1) / 4 + 1) * cut;
  return (of_score + few_ulp) * problem.scale() * size + static_cast<double>(keys) * cut / 2 +
         few_ulp * (1 + std::fabs(log_sum_exp));
}

Strangers strangers(const Safetensors& told, const Case& one, Flash4AsPublished as_published, const char* out) {
  const Problem problem = parse_problem(one.problem);
  const Inputs inputs = told_inputs(told, one.name, problem);
  Outputs outputs(problem), wanted(problem);
  copy_told(told, one.name, out, wanted.out.view());
  copy_told(told, one.name, "log_sum_exp", wanted.log_sum_exp.view());
  Device device;
  Flash4Head head(device, problem, as_published);
  EXPECT_EQ(device.peak().bytes, Flash4Head::bytes(problem));
  head.take(arguments_of(problem, inputs, outputs), 0, 0);
  const auto rows = static_cast<double>(problem.shape.queries), dim = static_cast<double>(problem.shape.dim);
  Strangers all;
  for (index i = 0; i < problem.shape.queries; ++i) {
    const index keys = problem.mask.is_full() ? problem.shape.keys : i + 1;
    const double log_sum_exp = double{head.attend(i, keys)}, sum = wanted.log_sum_exp.view().value(0, 0, i, 0);
    const auto is_within = [&](double bound) {
      return same(log_sum_exp, sum) || (std::isfinite(sum) && std::fabs(log_sum_exp - sum) <= bound);
    };
    all.few_ulp += !is_within(few_ulp * std::fabs(sum));
    all.beyond_bound += !is_within(log_sum_exp_bound(problem, inputs, i, keys, sum));
    for (index c = 0; c < problem.shape.dim; ++c)
      if (!same(problem.output.round(double{head.out()[c]}), wanted.out.view().value(0, 0, i, c)))
        all.out += 1 / (rows * dim);
  }
  return all;
}

/// The program makes scores of one exact sum, the unit of groups of sixteen that are cut off, so that a weight may be
/// cast to the number beside its own, and an answer to that beside its own: 1.1 % of them at most. Without the
/// polynomial, late maxima or the order of tiles it is a tenth to a half of the answers, so 2 % tells these apart.
// slow: computes what another program has computed
TEST(Flash4, ComputesWhatAnotherProgramDoes) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 20); ++seed) {
    const ScratchFolder folder;
    ask_oracle("backends/cpu/flash4/flash4_oracle.py", folder, std::to_string(seed));
    const Safetensors told = read_safetensors(folder / "flash4.safetensors");
    index rows = 0, few_ulp_apart = 0;
    for (const Case& one : cases) {
      const Strangers mended = strangers(told, one, {.nan_rows_are_empty = true}, "out");
      const Strangers published = strangers(told, one, {.nan_vanishes = true}, "published");
      EXPECT_LE(mended.out, 0.02) << one.name;
      EXPECT_LE(published.out, 0.02) << one.name;
      EXPECT_EQ(mended.beyond_bound, 0) << one.name;
      rows += parse_problem(one.problem).shape.queries, few_ulp_apart += mended.few_ulp;
    }
    EXPECT_LE(static_cast<double>(few_ulp_apart), 0.01 * static_cast<double>(rows)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace attestone
