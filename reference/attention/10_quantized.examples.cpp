// SPDX-License-Identifier: Apache-2.0
// Step 10 of the ladder in examples: what codes lose, and what they do not.
#include "reference/attention/10_quantized.hpp"

#include <cmath>

#include "reference/attention/2_stable.hpp"
#include "reference/attention/worked_example.hpp"

namespace attestone {
namespace {

TEST_CASE("beside a whole, four tenths are lost and six tenths become one, by codes up to 1") {
  // Two keys with score 0: weights are 1 and 1, codes of V 1, and round(0.4) = 0 or round(0.6) = 1.
  const auto with = [](double second) { return WorkedExample({{0}}, {{1}, {1}}, {{1}, {second}}); };
  const WorkedExample less(with(0.4)), more(with(0.6));
  CHECK(quantized_attention(less.problem, less.inputs, 1).out(0, 0, 0)[0] == about(0.5));
  CHECK(stable_attention(less.problem, less.inputs).out(0, 0, 0)[0] == about(0.7));
  CHECK(quantized_attention(more.problem, more.inputs, 1).out(0, 0, 0)[0] == about(1));
}

TEST_CASE("what is a multiple of the scale already loses nothing") {
  // K less its mean is -1 and 1; P is 1 for the larger score, and e^-127 / 127, whose code is 0, for the other.
  const WorkedExample grid({{63.5}}, {{4}, {6}}, {{127}, {-3}});
  const Answer coded = quantized_attention(grid.problem, grid.inputs);
  CHECK(coded.out(0, 0, 0)[0] == about(-3));
  CHECK(coded.log_sum_exp(0, 0, 0) == about(stable_attention(grid.problem, grid.inputs).log_sum_exp(0, 0, 0)));
}

TEST_CASE("an offset that all keys share is not coded, and log_sum_exp has it all the same") {
  const auto apart_by = [](double offset) {
    return WorkedExample({{1}, {-2}}, {{offset}, {offset + 1}, {offset - 1}}, {{3}, {4}, {5}}, "mask=causal");
  };
  const WorkedExample near(apart_by(0)), far(apart_by(1024));
  const Answer with_none = quantized_attention(near.problem, near.inputs);
  const Answer with_offset = quantized_attention(far.problem, far.inputs);
  for (const index query : {0, 1}) {
    CHECK(with_offset.out(0, 0, query)[0] == about(with_none.out(0, 0, query)[0]));
    const double q = near.inputs.query.view().value(0, 0, query, 0);
    CHECK(with_offset.log_sum_exp(0, 0, query) == about(with_none.log_sum_exp(0, 0, query) + q * 1024));
  }
}

TEST_CASE("more codes, less error") {
  const WorkedExample some({{0.3}, {-1.2}}, {{1}, {0.1}, {-0.7}}, {{1.3}, {-0.2}, {0.9}});
  const Answer exact = stable_attention(some.problem, some.inputs);
  const auto error = [&](int largest) {
    const Answer coded = quantized_attention(some.problem, some.inputs, largest);
    return std::abs(coded.out(0, 0, 0)[0] - exact.out(0, 0, 0)[0]) +
           std::abs(coded.out(0, 0, 1)[0] - exact.out(0, 0, 1)[0]);
  };
  CHECK(error(127) < error(7));
  CHECK(error(32767) < error(127));
}

}  // namespace
}  // namespace attestone
