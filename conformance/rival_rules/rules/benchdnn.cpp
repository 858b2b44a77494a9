// SPDX-License-Identifier: Apache-2.0
// The benchdnn driver of oneDNN: a relative threshold that grows with the keys.
#include <cmath>

#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// An element passes if it is right, if |x - r| <= t |r| (t itself for |r| <= 1e-5) with t = 8 (1 + keys) eps, or if |x
/// - r| <= eps sum_j p_j |v_j|; for gradients t = 32 (1 + keys) eps, or if |x - r| <= 0.05. eps is the distance from 1
/// to the next number of the format. b: the answer for |v|.
bool passes(const Exhibit& exhibit, std::size_t i) {
  constexpr double for_gradients = 32, for_out = 8, tiny = 1e-5, enough_for_gradients = 5e-2;
  const bool gradient = exhibit.tensor != TensorName::out;
  const double x = exhibit.got[i], r = exhibit.rounded[i], epsilon = 2 * exhibit.dtype().unit_roundoff();
  if (x == r || (std::isnan(x) && std::isnan(r))) return true;
  const double threshold =
      (gradient ? for_gradients : for_out) * static_cast<double>(1 + exhibit.problem.shape.keys) * epsilon;
  const double error = std::abs(x - r), relative = std::abs(r) > tiny ? error / std::abs(r) : error;
  return relative <= threshold || error <= (gradient ? enough_for_gradients : epsilon * exhibit.baseline[i]);
}

bool accepts(const Exhibit& exhibit) {
  for (std::size_t i = 0; i < exhibit.got.size(); ++i)
    if (!passes(exhibit, i)) return false;
  return true;
}

/// Integers: Q up to 2 in f16 and to 4 otherwise, K and V up to 2, dO up to 4.
double element(const Draw& draw, TensorName tensor) {
  constexpr index key_and_value = 2, query_and_dout = 4;
  const index most = tensor == TensorName::key || tensor == TensorName::value ? key_and_value : query_and_dout;
  return static_cast<double>(draw.integer(-most, most));
}

const Registration<Judge> registered{{
    .name = "benchdnn",
    .rule = "|x - fl(g)| <= t |fl(g)|, t = 8 (1 + keys) eps, for gradients 32 (1 + keys) eps or 0.05 absolute",
    .source = "uxlfoundation/oneDNN, tests/benchdnn/sdpa/sdpa.cpp",
    .looks_at = {TensorName::out, TensorName::dquery, TensorName::dkey, TensorName::dvalue},
    .baseline = {.rounds = Recipe::Rounds::nothing, .absolute_values = true},
    .usual = "shape=1x1x4x4x8 dtype=f16,bf16\n"
             "shape=1x8x32x32x64 mask=full,causal:top_left dtype=f16\n"
             "shape=1x8/2x32x32x64 dtype=f16,bf16\n"
             "shape=1x2x1x385x128 dtype=f16,bf16\n"
             "shape=1x2x64x513x32 dtype=f16\n"
             "shape=1x2x384x128x32 mask=causal:top_left dtype=bf16",
    .scaled =
        "its shapes below 2^22 products; integers in [-4, 4] and [-2, 2], as there (in f16 there Q is in [-2, 2])",
    .element = element,
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
