// SPDX-License-Identifier: Apache-2.0
// FlashAttention-4 against a program of another author, who had seen its source alone.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/cpu/flash4/flash4_head.hpp"
#include "reference/files/safetensors.hpp"
#include "tests/effort.hpp"
#include "tests/python_oracle.hpp"

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

void copy(const StoredTensor& from, const View& to) {
  for_each_element(to, [&](index b, index h, index r, index c) {
    to.set_code(b, h, r, c, read_code(from.bytes.data(), r * to.extents()[3] + c, to.dtype().storage_bits()));
  });
}

/// Both NaN, or no further apart than that.
bool near(double got, double want, double apart) {
  return got == want || (std::isnan(got) && std::isnan(want)) || std::fabs(got - want) <= apart;
}

/// log_sum_exp is told as it is where no NaN vanishes.
///
/// The program makes scores of one exact sum, the unit of groups of sixteen that are cut off; and denominators are
/// added up in another order. So a weight may be cast to the number beside its own, and an answer to that beside its
/// own.
void expect_same(const Safetensors& told, const Case& one, Flash4AsPublished as_published, const char* out) {
  const Problem problem = parse_problem(one.problem);
  Inputs inputs(problem);
  Outputs outputs(problem), wanted(problem);
  const auto tensor = [&](const char* part) { return told.tensor(fmt::format("{}.{}", one.name, part)); };
  copy(tensor("query"), inputs.query.view());
  copy(tensor("key"), inputs.key.view());
  copy(tensor("value"), inputs.value.view());
  copy(tensor(out), wanted.out.view());
  copy(tensor("log_sum_exp"), wanted.log_sum_exp.view());
  Device device;
  Flash4Head head(device, problem, as_published);
  EXPECT_EQ(device.peak().bytes, Flash4Head::bytes(problem));
  head.take(arguments_of(problem, inputs, outputs), 0, 0);
  const double u = problem.output.unit_roundoff(), float_u = dtype("f32").unit_roundoff();
  for (index i = 0; i < problem.shape.queries; ++i) {
    const index keys = problem.mask.is_full() ? problem.shape.keys : i + 1;
    const double log_sum_exp = double{head.attend(i, keys)}, told_sum = wanted.log_sum_exp.view().value(0, 0, i, 0);
    const double sums = 2 * static_cast<double>(keys + problem.shape.dim) * float_u * (1 + std::fabs(told_sum));
    EXPECT_TRUE(as_published.nan_vanishes || near(log_sum_exp, told_sum, sums))
        << one.name << " row " << i << ": " << log_sum_exp << ", not " << told_sum;
    for (index c = 0; c < problem.shape.dim; ++c) {
      const double want = wanted.out.view().value(0, 0, i, c), got = problem.output.round(double{head.out()[c]});
      ASSERT_TRUE(near(got, want, 2 * u * std::fabs(want) + u / 64))
          << one.name << " " << out << " row " << i << " channel " << c << ": " << got << ", not " << want;
    }
  }
}

TEST(Flash4, ComputesWhatAnotherProgramDoes) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 20); ++seed) {
    const ScratchFolder folder;
    ask_oracle("backends/cpu/flash4/flash4_oracle.py", folder, std::to_string(seed));
    const Safetensors told = read_safetensors(folder / "flash4.safetensors");
    for (const Case& one : cases) {
      expect_same(told, one, {.nan_rows_are_empty = true}, "out");
      expect_same(told, one, {.nan_vanishes = true}, "published");
    }
  }
}

}  // namespace
}  // namespace attestone
