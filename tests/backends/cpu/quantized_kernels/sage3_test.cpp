// SPDX-License-Identifier: Apache-2.0
// SageAttention3 against a program of another author, mended and with each fault of the released code.
#include <cmath>
#include <gtest/gtest.h>

#include "backends/cpu/quantized_kernels/sage3_head.hpp"
#include "tests/effort.hpp"
#include "tests/python_oracle.hpp"
#include "tests/told_tensors.hpp"

namespace attestone {
namespace {

struct Case {
  const char* name;
  const char* problem;
  bool mean_of_head = false;
};
constexpr Case cases[] = {{"full", "shape=1x1x150x300x64 dtype=f16"},
                          {"short", "shape=1x1x40x21x128 dtype=bf16"},
                          {"causal", "shape=1x1x300x300x64 dtype=bf16 mask=causal"},
                          {"one_mean", "shape=1x1x200x200x128 dtype=f16 mask=causal", true}};

/// How many numbers of O are further from what the program says than the numbers beside that.
index strangers(const Safetensors& told, const Case& one, const char* how) {
  const Problem problem = parse_problem(one.problem);
  const Inputs inputs = told_inputs(told, one.name, problem);
  Outputs outputs(problem), wanted(problem);
  copy_told(told, one.name, how, wanted.out.view());
  Sage3 algorithm(one.mean_of_head);
  const std::string faults = how;
  algorithm.masks_stored_columns = faults == "masks" || faults == "released";
  algorithm.drops_second_tile = faults == "second" || faults == "released";
  algorithm.first_maxima_from_zero = faults == "first" || faults == "released";
  Device device;
  Sage3Head head(device, problem, algorithm);
  EXPECT_EQ(device.peak().bytes, Sage3Head::bytes(problem, algorithm));
  head.take(arguments_of(problem, inputs, outputs), 0, 0);
  index count = 0;
  for (index i = 0; i < problem.shape.queries; ++i) {
    head.attend(i, problem.mask.is_full() ? problem.shape.keys : i + 1);
    for (index c = 0; c < problem.shape.dim; ++c) {
      const double want = wanted.out.view().value(0, 0, i, c), got = problem.output.round(double{head.out()[c]});
      const double step = 2 * problem.output.unit_roundoff() * std::fabs(want) + problem.output.smallest_subnormal();
      count += std::fabs(got - want) <= step ? 0 : 1;
    }
  }
  return count;
}

/// Denominators are added up in another order, which may move an answer to the next number, and scores are cut off by
/// the unit where the program is exact to the last bit, which may move a code of a weight that lies between two.
TEST(Sage3, ComputesWhatAnotherProgramDoes) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 20); ++seed) {
    const ScratchFolder folder;
    ask_oracle("backends/cpu/quantized_kernels/sage3_oracle.py", folder, std::to_string(seed));
    const Safetensors told = read_safetensors(folder / "sage3.safetensors");
    for (const Case& one : cases)
      for (const char* how : {"mended", "masks", "second", "first", "released"})
        EXPECT_LE(strangers(told, one, how), 0) << one.name << " " << how << " seed " << seed;
  }
}

}  // namespace
}  // namespace attestone
