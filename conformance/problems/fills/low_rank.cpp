// SPDX-License-Identifier: Apache-2.0
// Q and K of rank one.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr index no_row = 0xFFFFFFFF;

// Each row is a multiple of one direction that Q and K of a sequence share.
ElementSource source(const Problem& problem) {
  return [problem](const Element& at) {
    if (at.tensor == TensorName::value) return draw_for(problem, at).normal();
    const double length = draw_for(problem, {at.tensor, at.batch, at.head, at.row, 0}).normal();
    return length * draw_for(problem, {TensorName::key, at.batch, 0, no_row, at.channel}).normal();
  };
}

const Registration<Fill> registered{{
    .name = "low_rank",
    .aim =
        "scores that are a product of two numbers, up to the square root of dim in size: half of the rows prefer what "
        "the other half avoids",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone
