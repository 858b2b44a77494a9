// SPDX-License-Identifier: Apache-2.0
// Two keys that tie for the maximum beside a light tail, and V, dO of one sign: where roundings may all go one way.
#include <cmath>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// "Why Low-Precision Transformer Training Fails" (arXiv 2510.04212): weights of exactly 1 at several keys, values of
// one sign, and sums that are rounded before the tail joins. The last channel of K is 1 and that of Q is 0 where there
// is another: then the last channel of dQ is the sum of dS, which is 0.
//
// The two keys lead by so much that two dozen others, of weight e^-lead each and together a sixth of the last place of
// the sum of the two, decide ties without being seen themselves; by a tenth more in some rows, so that rows differ.
ElementSource source(const Problem& problem) {
  const double lead = std::log(50 / problem.input.unit_roundoff()) / (2 * std::abs(problem.scale()));
  return [problem, lead](const Element& at) {
    const bool is_last = at.channel > 0 && at.channel == problem.shape.dim - 1;
    switch (at.tensor) {
      case TensorName::query:
        if (at.channel > 0) return 0.0;
        return std::copysign(lead * (1 + draw_for(problem, at).uniform() / 10), problem.scale());
      case TensorName::key:
        if (at.channel > 0) return is_last ? 1.0 : 0.0;
        return at.row < 2 ? 1.0 : -1.0;
      default:
        return -1 - draw_for(problem, at).uniform();
    }
  };
}

ElementSource others(const Problem& problem) {
  return [problem, normal = normal_others(problem)](const Element& at) {
    return at.tensor == TensorName::dout ? 1 + draw_for(problem, at).uniform() : normal(at);
  };
}

const Registration<Fill> registered{{
    .name = "tied_maxima",
    .aim = "two weights of exactly 1 beside a light tail, V of one sign: biased rounding, as in low-precision training",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .others = others,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
