// SPDX-License-Identifier: Apache-2.0
// A sink that takes most of the mass, and a tail that together still weighs, with large values of one sign.
#include <cmath>

#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

// e^-17.6 is less than half a unit in the last place of 1 in f32, and less than half the least number of f16.
constexpr double tail = 17.6;
constexpr double offset = 1000;

// The first key points along channel 0, and so does every query; the others point the other way.
ElementSource source(const Problem& problem) {
  const double length = std::sqrt(tail / 2 / std::abs(problem.scale()));
  return [problem, length](const Element& at) {
    if (at.tensor == TensorName::value) return at.row == 0 ? 0.0 : offset * (1 + draw_for(problem, at).uniform());
    if (at.channel != 0) return 0.0;
    if (at.tensor == TensorName::query) return std::copysign(length, problem.scale());
    return at.row == 0 ? length : -length;
  };
}

const Registration<Fill> registered{{
    .name = "tail_mass",
    .aim = "weights of e^-17.6 whose values are large: tails that are dropped, flushed or lost in a long sum",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
