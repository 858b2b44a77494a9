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

/// Answers that are not the program's, as a share of all.
struct Strangers {
  double out = 0, log_sum_exp = 0;
};

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
  constexpr double few_ulp = 0x1p-21;  // exponentials and logarithms are not those of the same library
  Strangers all;
  for (index i = 0; i < problem.shape.queries; ++i) {
    const double log_sum_exp = double{head.attend(i, problem.mask.is_full() ? problem.shape.keys : i + 1)};
    const double sum = wanted.log_sum_exp.view().value(0, 0, i, 0);
    const bool is_near = std::isfinite(sum) && std::fabs(log_sum_exp - sum) <= few_ulp * std::fabs(sum);
    if (!is_near && !same(log_sum_exp, sum)) all.log_sum_exp += 1 / rows;
    for (index c = 0; c < problem.shape.dim; ++c)
      if (!same(problem.output.round(double{head.out()[c]}), wanted.out.view().value(0, 0, i, c)))
        all.out += 1 / (rows * dim);
  }
  return all;
}

/// The program makes scores of one exact sum, the unit of groups of sixteen that are cut off, so that a weight may be
/// cast to the number beside its own, and an answer to that beside its own: 1.1 % of them at most. Without the
/// polynomial, late maxima or the order of tiles it is a tenth to a half of the answers, so 2 % tells these apart.
TEST(Flash4, ComputesWhatAnotherProgramDoes) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 20); ++seed) {
    const ScratchFolder folder;
    ask_oracle("backends/cpu/flash4/flash4_oracle.py", folder, std::to_string(seed));
    const Safetensors told = read_safetensors(folder / "flash4.safetensors");
    for (const Case& one : cases) {
      const Strangers mended = strangers(told, one, {.nan_rows_are_empty = true}, "out");
      const Strangers published = strangers(told, one, {.nan_vanishes = true}, "published");
      EXPECT_LE(mended.out, 0.02) << one.name;
      EXPECT_LE(published.out, 0.02) << one.name;
      EXPECT_LE(mended.log_sum_exp, 0.02) << one.name;
    }
  }
}

}  // namespace
}  // namespace attestone
