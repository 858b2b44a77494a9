// SPDX-License-Identifier: Apache-2.0
// Step 5 of the ladder in examples: answers to parts of the keys are merged by their log_sum_exp.
#include "reference/attention/5_split_and_merge.hpp"

#include <cmath>

#include "reference/attention/2_stable.hpp"
#include "reference/attention/worked_example.hpp"
#include "reference/call/partial.hpp"

namespace attestone {
namespace {

/// The message of a part: L and o.
Partial part(double log_sum_exp, double out) { return Partial::of_answer(log_sum_exp, std::span(&out, 1)); }

TEST_CASE("two parts merge as two keys would, with their log_sum_exp for scores") {
  // One part has one key, the other three, all with the score 0.
  const Partial whole = merged(part(std::log(1), 0), part(std::log(3), 4));
  CHECK(whole.out()[0] == about((1 * 0 + 3 * 4) / 4.0));
  CHECK(whole.log_sum_exp() == about(std::log(4)));
}

TEST_CASE("a log_sum_exp to base 2 merges to something else") {
  CHECK(merged(part(std::log2(1), 0), part(std::log2(3), 4)).out()[0] > 3.3);
}

TEST_CASE("an empty part changes no bit") {
  const Partial alone = part(0.1, 0.7), empty(1);
  for (const Partial& both : {merged(alone, empty), merged(empty, alone)}) {
    CHECK(both.out()[0] == alone.out()[0]);
    CHECK(both.log_sum_exp() == alone.log_sum_exp());
  }
}

TEST_CASE("any number of parts gives the answer of the whole, also more parts than keys") {
  WorkedExample three({{1}, {-1}}, {{1}, {3}, {2}}, {{5}, {6}, {7}}, "mask=causal score=sink:head");
  three.inputs.sink->view().set(0, 0, 0, 0, 1);
  const Answer whole = stable_attention(three.problem, three.inputs);
  for (index parts = 1; parts <= 5; ++parts) {
    CAPTURE(parts);
    const Answer split = split_attention(three.problem, three.inputs, parts);
    for (const index query : {0, 1}) {
      CHECK(split.out(0, 0, query)[0] == about(whole.out(0, 0, query)[0]));
      CHECK(split.log_sum_exp(0, 0, query) == about(whole.log_sum_exp(0, 0, query)));
    }
  }
}

TEST_CASE("a sink that every part holds is counted once too often") {
  // A sink of logit 0 and two keys of score 0, in two parts: 2 / 3 of the value is right.
  const double value = 1;
  const Partial sink = Partial::of_sink(0, 1), key = Partial::of_key(0, std::span(&value, 1));
  CHECK(merged(merged(key, key), sink).out()[0] == about(2 / 3.0));
  CHECK(merged(merged(key, sink), merged(key, sink)).out()[0] == about(2 / 4.0));
}

}  // namespace
}  // namespace attestone
