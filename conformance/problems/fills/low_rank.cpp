// SPDX-License-Identifier: Apache-2.0
// Q and K of rank one.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index no_row = 0xFFFFFFFF;

// Each row is a multiple of one direction that Q and K of a sequence share.
ElementSource source(const Problem& problem) {
  return [problem](const Element& at) {
    if (at.tensor == TensorName::value) return normal_for(problem, at);
    Element first = at;
    first.channel = 0;
    return normal_for(problem, first) * normal_for(problem, in_row(at, TensorName::key, at.batch, 0, no_row));
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
}  // namespace attestone::inline conformance
