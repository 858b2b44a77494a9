// SPDX-License-Identifier: Apache-2.0
// Step 6 of the ladder in examples: gradients by hand, and by moving an input a little.
#include "reference/attention/6_backward.hpp"

#include "reference/attention/2_stable.hpp"
#include "reference/attention/worked_example.hpp"

namespace attestone {
namespace {

/// q = 0, so both keys weigh 1/2: o = (0 + 1) / 2. dO = 1.
WorkedExample two_keys() {
  WorkedExample example({{0}}, {{1}, {3}}, {{0}, {1}}, "pass=forward+backward");
  write(example.inputs.dout->view(), {{1}});
  return example;
}

TEST_CASE("by hand: two keys of equal weight") {
  const WorkedExample example = two_keys();
  const Gradient gradient = attention_gradient(example.problem, example.inputs);
  // dV = p dO.
  CHECK(gradient.value(0, 0, 0)[0] == 0.5);
  CHECK(gradient.value(0, 0, 1)[0] == 0.5);
  // dp = dO.v = (0, 1), delta = 1/2, ds = p (dp - delta) = (-1/4, 1/4); dQ = ds k, dK = ds q.
  CHECK(gradient.query(0, 0, 0)[0] == -0.25 * 1 + 0.25 * 3);
  CHECK(gradient.key(0, 0, 0)[0] == 0);
  CHECK(gradient.key(0, 0, 1)[0] == 0);
}

TEST_CASE("a query that is moved by h changes O by dQ h") {
  WorkedExample example = two_keys();
  const double dquery = attention_gradient(example.problem, example.inputs).query(0, 0, 0)[0];
  const auto out_at = [&](double query) {
    write(example.inputs.query.view(), {{query}});
    return stable_attention(example.problem, example.inputs).out(0, 0, 0)[0];
  };
  // The difference misses h^2 / 6 times the third derivative of 1 / (1 + e^-2q), which is -1 at 0, and rounding.
  const double h = 0x1p-11;
  CHECK(std::abs((out_at(h) - out_at(-h)) / (2 * h) - dquery) < h * h / 6 + 0x1p-40);
}

TEST_CASE("one key: its weight is 1 whatever the score, so only V has a gradient") {
  WorkedExample one({{2}}, {{3}}, {{5}}, "pass=forward+backward");
  write(one.inputs.dout->view(), {{7}});
  const Gradient gradient = attention_gradient(one.problem, one.inputs);
  CHECK(gradient.value(0, 0, 0)[0] == 7);
  CHECK(gradient.query(0, 0, 0)[0] == 0);
  CHECK(gradient.key(0, 0, 0)[0] == 0);
}

TEST_CASE("a query that sees no key sends exactly 0") {
  WorkedExample empty({{2}, {2}}, {{3}}, {{5}}, "mask=causal pass=forward+backward");
  write(empty.inputs.dout->view(), {{1e300}, {1}});
  const Gradient gradient = attention_gradient(empty.problem, empty.inputs);
  CHECK(gradient.query(0, 0, 0)[0] == 0);
  CHECK(gradient.value(0, 0, 0)[0] == 1);
}

}  // namespace
}  // namespace attestone
