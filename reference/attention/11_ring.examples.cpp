// SPDX-License-Identifier: Apache-2.0
// Step 11 of the ladder in examples: parts of the keys pass by, and nothing changes.
#include "reference/attention/11_ring.hpp"

#include <cmath>

#include "reference/attention/2_stable.hpp"
#include "reference/attention/worked_example.hpp"

namespace attestone {
namespace {

TEST_CASE("two devices with a key each: the second step merges what the other one had") {
  const WorkedExample two({{0}, {0}}, {{1}, {2}}, {{4}, {8}});
  const Answer ring = ring_attention(two.problem, two.inputs, 2);
  for (const index query : {0, 1}) {
    CHECK(ring.out(0, 0, query)[0] == about((4 + 8) / 2.0));
    CHECK(ring.log_sum_exp(0, 0, query) == about(std::log(2)));
  }
}

TEST_CASE("any number of devices gives the answer of one, also more devices than rows") {
  WorkedExample three({{1}, {-1}, {2}}, {{1}, {3}, {2}}, {{5}, {6}, {7}}, "mask=causal score=sink:head");
  three.inputs.sink->view().set(0, 0, 0, 0, 1);
  const Answer whole = stable_attention(three.problem, three.inputs);
  for (index devices = 1; devices <= 5; ++devices) {
    CAPTURE(devices);
    const Answer ring = ring_attention(three.problem, three.inputs, devices);
    for (const index query : {0, 1, 2}) {
      CHECK(ring.out(0, 0, query)[0] == about(whole.out(0, 0, query)[0]));
      CHECK(ring.log_sum_exp(0, 0, query) == about(whole.log_sum_exp(0, 0, query)));
    }
  }
}

TEST_CASE("one key of many gets the gradient of every query that saw it, wherever that was") {
  // Two queries, one key: p = 1, so dV is the sum of dO, and dS = 0.
  WorkedExample one({{1}, {2}}, {{3}}, {{5}}, "pass=forward+backward");
  write(one.inputs.dout->view(), {{10}, {100}});
  const Gradient ring = ring_gradient(one.problem, one.inputs, ring_attention(one.problem, one.inputs, 2), 2);
  CHECK(ring.value(0, 0, 0)[0] == about(110));
  CHECK(ring.key(0, 0, 0)[0] == about(0));
}

}  // namespace
}  // namespace attestone
