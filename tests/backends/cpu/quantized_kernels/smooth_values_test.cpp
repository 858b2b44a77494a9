// SPDX-License-Identifier: Apache-2.0
// V less its mean: what all keys share costs nothing then, and a packed batch shares one mean of K.
#include <cmath>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "conformance/problems/fill.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

std::vector<double> answer(const char* kernel, const Problem& problem, const Inputs& inputs) {
  Outputs outputs(problem);
  Device device;
  make_kernel(kernel)->forward(problem, arguments_of(problem, inputs, outputs), device);
  return packed_values(outputs.out.view());
}

/// Copies as many rows as `to` has.
void copy_rows(const View& from, const View& to) {
  for_each_element(to, [&](index b, index h, index r, index c) { to.set(b, h, r, c, from.value(b, h, r, c)); });
}

/// V and V + 512: the codes are the same to the last bit, and only the last sum differs. Without smoothing the offset
/// takes all but a few steps of the codes.
TEST(SmoothValues, AnOffsetCostsNothing) {
  const Problem problem = parse_problem("shape=1x1x5x64x64 dtype=f16");
  Inputs inputs = filled(problem), moved = filled(problem);
  const View value = inputs.value.view();
  for_each_element(value, [&](index b, index h, index r, index c) {
    const double x = std::nearbyint(2 * value.value(b, h, r, c)) / 2;
    // Rows in pairs, so that the mean is 0.
    const double whole = r % 2 == 0 ? x : -value.value(b, h, r - 1, c);
    value.set(b, h, r, c, whole);
    moved.value.view().set(b, h, r, c, whole + 512);
  });
  for (const char* kernel : {"sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1",
                             "sage_qk_int8_pv_fp16_cuda:accumulator=fp16:smooth_v=1"}) {
    const std::vector<double> here = answer(kernel, problem, inputs), there = answer(kernel, problem, moved);
    // Half a unit of f16 beyond 512, and of what is here, below 4.
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(there[i], here[i] + 512, 0x1p-2 + 0x1p-10) << kernel;
  }
  const char* plain = "sage_qk_int8_pv_fp8_cuda:accumulator=fp32";
  const std::vector<double> here = answer(plain, problem, inputs), there = answer(plain, problem, moved);
  double worst = 0;
  for (std::size_t i = 0; i < here.size(); ++i) worst = std::max(worst, std::abs(there[i] - here[i] - 512));
  EXPECT_GT(worst, 1);
}

/// A sequence alone, and beside another whose keys lie elsewhere: the mean is another one, and so are codes.
TEST(SageVarlen, AnswersDependOnTheBatch) {
  const Problem both = parse_problem("shape=2x1x9x40x64 dtype=f16 lengths=40+30");
  Problem alone = both;
  alone.lengths = {40, 0};
  Inputs inputs = filled(both);
  const View key = inputs.key.view();
  for (index j = 0; j < 40; ++j)
    for (index c = 0; c < 64; ++c) key.set(1, 0, j, c, key.value(1, 0, j, c) + 3);
  const std::vector<double> together = answer("sage_varlen", both, inputs),
                            apart = answer("sage_varlen", alone, inputs);
  const std::size_t first = 9 * 64;
  EXPECT_FALSE(std::equal(together.begin(), together.begin() + first, apart.begin()));
  const char* triton = "sage_qk_int8_pv_fp16_triton";
  const Problem one = parse_problem("shape=1x1x9x40x64 dtype=f16");
  Inputs own(one);
  copy_rows(inputs.query.view(), own.query.view());
  copy_rows(inputs.key.view(), own.key.view());
  copy_rows(inputs.value.view(), own.value.view());
  EXPECT_EQ(answer(triton, one, own), std::vector<double>(apart.begin(), apart.begin() + first))
      << "a batch of one sequence is that sequence";
}

}  // namespace
}  // namespace attestone
