// SPDX-License-Identifier: Apache-2.0
// Step 3 of the ladder in examples: three numbers describe all keys seen so far, and the next key corrects them.
#include "reference/attention/3_online.hpp"

#include <cmath>

#include "reference/attention/2_stable.hpp"
#include "reference/attention/worked_example.hpp"
#include "reference/call/partial.hpp"

namespace attestone {
namespace {

Partial key(double score, double value) { return Partial::of_key(score, std::span(&value, 1)); }

TEST_CASE("after every key, the answer to the keys so far can be read") {
  Partial seen(1);
  CHECK(seen.log_sum_exp() == -std::numeric_limits<double>::infinity());
  seen.merge(key(0, 1));
  CHECK(seen.out()[0] == 1);
  seen.merge(key(std::log(2), 4));  // a new maximum: what was summed shrinks to half
  CHECK(seen.out()[0] == about((1 * 1 + 2 * 4) / 3.0));
  CHECK(seen.log_sum_exp() == about(std::log(1 + 2)));
  seen.merge(key(0, 7));  // the maximum stays: the new key comes in with half the weight of the second
  CHECK(seen.out()[0] == about((1 * 1 + 2 * 4 + 1 * 7) / 4.0));
  CHECK(seen.log_sum_exp() == about(std::log(1 + 2 + 1)));
}

TEST_CASE("one walk finds what two walks found, however often the maximum rises") {
  const Numbers value{{1}, {2}, {3}, {4}};
  for (const Numbers& scores :
       {Numbers{{0}, {1}, {2}, {3}}, Numbers{{3}, {2}, {1}, {0}}, Numbers{{900}, {-900}, {0}, {901}}}) {
    const WorkedExample walk({{1}}, scores, value);
    const Answer two_walks = stable_attention(walk.problem, walk.inputs);
    const Answer one_walk = online_attention(walk.problem, walk.inputs);
    CHECK(one_walk.out(0, 0, 0)[0] == about(two_walks.out(0, 0, 0)[0]));
    CHECK(one_walk.log_sum_exp(0, 0, 0) == about(two_walks.log_sum_exp(0, 0, 0)));
  }
}

}  // namespace
}  // namespace attestone
