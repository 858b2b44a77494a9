// SPDX-License-Identifier: Apache-2.0
// One term of the gradients' bound at a time, attained so far that the bound without it is violated.
//
// Not attained: the roundings of dS itself, 8 u, and the last factors, 4 u, beside which stand an error of weights of
// at least 79 u and one of sums of at least 18 u.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/certified/numbers/elementary.hpp"
#include "tests/reference/certified/backward/gradient_scene.hpp"

namespace attestone {
namespace {

constexpr double u = unit_double;
/// Just less than what a sum a little above 1 swallows.
constexpr double swallowed = 0.99 * u;
const double root = std::sqrt(swallowed);

/// Products that vanish in q.k move the weights, and so dV.
TEST(GradientBoundTerms, ErrorsOfWeights) {
  const Scene s(
      "shape=1x1x1x2x64:1 scale=1", [](index, index c) { return c == 0 ? 1 : root; },
      [](index key, index c) { return 1024 * (c == 0 ? 1 + 0x1p-10 : root * (key == 0 ? 1 : -1)); },
      [](index, index) { return 1; }, [](index, index) { return 1; });
  const auto found = certify_backward(s.problem, s.inputs);
  EXPECT_GT(attained(found.value.at(0, 0, 0, 0), oracle_gradients(s.problem, s.inputs).value, 0, 0), 0.1);
}

/// Products that vanish in q.k also move 1 - tanh^2 = 4 e^-2z: with z = 40, by eighty times their size.
TEST(GradientBoundTerms, ErrorsOfSlopes) {
  const Scene s(
      "shape=1x1x1x2x64:1 scale=1 score=softcap:0.015625", [](index, index c) { return c == 0 ? 1 : root; },
      [](index key, index c) { return (key == 0 ? 0.625 : 0) * (c == 0 ? 1 + 0x1p-10 : root); },
      [](index key, index) { return key; }, [](index, index) { return 1; });
  const auto found = certify_backward(s.problem, s.inputs);
  EXPECT_GT(attained(found.key.at(0, 0, 0, 0), oracle_gradients(s.problem, s.inputs).key, 0, 0), 0.3);
}

/// Products that vanish in dO.v, of which nothing else remains. Key 0 weighs little and shows its own dP; key 1, of
/// value 0, shows delta.
TEST(GradientBoundTerms, ErrorsOfProducts) {
  Scene s(
      "shape=1x1x1x2x1:16 score=bias:full", [](index, index) { return 0; }, [](index, index) { return 0; },
      [](index key, index c) {
        return key ? 0 : c == 0 ? 1 + 0x1p-10 : c == 15 ? -1 - 0x1p-10 : root;
      },
      [](index, index c) { return c == 0 || c == 15 ? 1 : root; });
  s.inputs.bias->view().set(0, 0, 0, 0, -5);
  const auto found = certify_backward(s.problem, s.inputs);
  const OracleTensor exact = *oracle_gradients(s.problem, s.inputs).bias;
  EXPECT_GT(attained(found.bias->at(0, 0, 0, 0), exact, 0, 0), 0.25);
  EXPECT_GT(attained(found.bias->at(0, 0, 0, 1), exact, 0, 1), 0.25);
}

/// Values that vanish in sum P a, of which nothing else remains: shown by keys of value 0, and by the sink.
TEST(GradientBoundTerms, ErrorsOfDelta) {
  const Scene s(
      "shape=1x1x1x64x1:1 score=bias:full&sink:head", [](index, index) { return 0; }, [](index, index) { return 0; },
      [&](index key, index) {
        return key == 0 ? 1 + 0x1p-10 : key < 62 ? swallowed : key == 62 ? 0 : -1 - 0x1p-10;
      },
      [](index, index) { return 1; });
  const auto found = certify_backward(s.problem, s.inputs);
  const OracleGradients exact = oracle_gradients(s.problem, s.inputs);
  EXPECT_GT(attained(found.bias->at(0, 0, 0, 62), *exact.bias, 0, 62), 0.25);
  EXPECT_GT(attained(found.sink->at(0, 0, 0, 0), *exact.sink, 0, 0), 0.25);
}

/// Rows of which each but the first is too small for a sum that takes one pair after the other.
TEST(GradientBoundTerms, SumsOfPairs) {
  const Scene s(
      "shape=1x1x2000x2x1:1 score=bias:key", [](index, index) { return 0; }, [](index, index) { return 0; },
      [](index key, index) { return key ? -1 : 1; },
      [](index query, index) { return query == 0 ? 1 + 0x1p-10 : swallowed; });
  const auto found = certify_backward(s.problem, s.inputs);
  EXPECT_GT(attained(found.bias->at(0, 0, 0, 0), *oracle_gradients(s.problem, s.inputs).bias, 0, 0), 0.5);
}

/// Four tiles of queries at a time, of which each but the first is too small for the sum over all of them. Of that one
/// only every fourth query of its first tile counts, as those share one bound.
TEST(GradientBoundTerms, SumsOverQueries) {
  const index tiles = 1200;
  const auto small = [](index query) {
    return query >= 64 ? swallowed / 64 : query < 16 && query % 4 == 0 ? (1 + 0x1p-10) / 4 : 0;
  };
  const Scene of_value(
      fmt::format("shape=1x1x{}x2x1:1", 16 * tiles), [](index, index) { return 0; }, [](index, index) { return 0; },
      [](index, index) { return 0; }, [&](index query, index) { return small(query); });
  const auto values = certify_backward(of_value.problem, of_value.inputs);
  EXPECT_GT(attained(values.value.at(0, 0, 0, 0), oracle_gradients(of_value.problem, of_value.inputs).value, 0, 0),
            0.5);
  const Scene of_key(
      fmt::format("shape=1x1x{}x2x1:1", 16 * tiles), [&](index query, index) { return small(query); },
      [](index, index) { return 0; }, [](index key, index) { return key == 0 ? 1 : -1; },
      [](index, index) { return 1; });
  const auto keys = certify_backward(of_key.problem, of_key.inputs);
  EXPECT_GT(attained(keys.key.at(0, 0, 0, 0), oracle_gradients(of_key.problem, of_key.inputs).key, 0, 0), 0.5);
}

/// Keys of which each but the first is too small for dQ's sum. Key 0 alone has a value: its own dS is large, and what
/// may be wrong with delta, a sixty-fourth of it, is not.
TEST(GradientBoundTerms, SumsOverKeys) {
  const Scene s(
      "shape=1x1x1x64x1:1 scale=1", [](index, index) { return 0; },
      [](index key, index) { return key == 0 ? (1 + 0x1p-10) * 4096 / 63 : -swallowed * 4096; },
      [](index key, index) { return key == 0 ? 1 : 0; }, [](index, index) { return 1; });
  const auto found = certify_backward(s.problem, s.inputs);
  EXPECT_GT(attained(found.query.at(0, 0, 0, 0), oracle_gradients(s.problem, s.inputs).query, 0, 0), 0.35);
}

/// Weights that vanish in their sum: what divides the weight of the sink divides delta, too.
TEST(GradientBoundTerms, TotalsUnderASink) {
  Scene s(
      "shape=1x1x1x64x1:1 scale=1 score=sink:head", [](index, index) { return 1; },
      [](index key, index) { return key == 0 ? 0 : std::log(swallowed); },
      [](index key, index) { return key == 0 ? 1 : 0; }, [](index, index) { return 1; });
  s.inputs.sink->view().set(0, 0, 0, 0, -10);
  const auto found = certify_backward(s.problem, s.inputs);
  EXPECT_GT(attained(found.sink->at(0, 0, 0, 0), *oracle_gradients(s.problem, s.inputs).sink, 0, 0), 0.5);
}

/// Products of dO.v, and of dS and K, that underflow to 0; what they lose adds up.
TEST(GradientBoundTerms, Underflow) {
  const Scene of_dout(
      "shape=1x1x1x2x1:4096 score=bias:full", [](index, index) { return 0; }, [](index, index) { return 0; },
      [](index key, index) { return key ? -0x1.fp-538 : 0x1.fp-538; }, [](index, index) { return 0x1p-538; });
  const auto bias = certify_backward(of_dout.problem, of_dout.inputs).bias;
  EXPECT_GT(attained(bias->at(0, 0, 0, 0), *oracle_gradients(of_dout.problem, of_dout.inputs).bias, 0, 0), 0.05);
  const Scene of_key(
      "shape=1x1x1x256x1:1 scale=1", [](index, index) { return 0; },
      [](index key, index) { return (key % 2 ? -120 : 120) * 0x1p-1074; },
      [](index key, index) { return key % 2 ? -1 : 1; }, [](index, index) { return 1; });
  const auto query = certify_backward(of_key.problem, of_key.inputs).query;
  EXPECT_GT(attained(query.at(0, 0, 0, 0), oracle_gradients(of_key.problem, of_key.inputs).query, 0, 0), 0.05);
}

/// A weight of e^-720 counts as lost.
TEST(GradientBoundTerms, LostWeights) {
  const Scene s(
      "shape=1x1x1x2x1:1 scale=1", [](index, index) { return 1; }, [](index key, index) { return key ? 0 : -720; },
      [](index key, index) { return key; }, [](index, index) { return 1; });
  const auto found = certify_backward(s.problem, s.inputs);
  const OracleGradients exact = oracle_gradients(s.problem, s.inputs);
  EXPECT_GT(attained(found.value.at(0, 0, 0, 0), exact.value, 0, 0), 0);
  EXPECT_GT(attained(found.key.at(0, 0, 0, 0), exact.key, 0, 0), 0);
  EXPECT_EQ(found.key.at(0, 0, 0, 0).value, 0);
}

}  // namespace
}  // namespace attestone
