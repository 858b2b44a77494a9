// SPDX-License-Identifier: Apache-2.0
// Step 4 of the ladder in examples: tiles change the order of sums, and nothing else.
#include "reference/attention/4_tiled.hpp"

#include "reference/attention/2_stable.hpp"
#include "reference/attention/worked_example.hpp"

namespace attestone {
namespace {

TEST_CASE("tiles of every size give the same answer, also those that the keys do not fill") {
  const WorkedExample five({{1}, {-2}, {0.5}}, {{1}, {0}, {-1}, {2}, {3}}, {{1}, {2}, {3}, {4}, {5}}, "mask=causal");
  const Answer whole = stable_attention(five.problem, five.inputs);
  for (const index query_block : {1, 2, 8})
    for (const index key_block : {1, 2, 3, 8}) {
      CAPTURE(query_block);
      CAPTURE(key_block);
      const Answer tiled = tiled_attention(five.problem, five.inputs, query_block, key_block);
      for (const index query : {0, 1, 2}) {
        CHECK(tiled.out(0, 0, query)[0] == about(whole.out(0, 0, query)[0]));
        CHECK(tiled.log_sum_exp(0, 0, query) == about(whole.log_sum_exp(0, 0, query)));
      }
    }
}

TEST_CASE("a hidden NaN inside a visible tile stays hidden") {
  // Both keys lie in one tile; the first query sees only the first of them. 0 * NaN would be NaN.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const WorkedExample causal({{1}, {1}}, {{0}, {0}}, {{4}, {nan}}, "mask=causal");
  const Answer answer = tiled_attention(causal.problem, causal.inputs, 2, 2);
  CHECK(answer.out(0, 0, 0)[0] == 4);
  CHECK(answer.out(0, 0, 1)[0] != answer.out(0, 0, 1)[0]);
}

TEST_CASE("a first tile without a visible key leaves no trace") {
  const WorkedExample window({{1}}, {{5}, {6}, {0}, {0}}, {{100}, {100}, {4}, {6}}, "mask=window:1:0");
  const Answer answer = tiled_attention(window.problem, window.inputs, 1, 2);
  CHECK(answer.out(0, 0, 0)[0] == 5);
}

}  // namespace
}  // namespace attestone
