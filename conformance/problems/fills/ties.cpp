// SPDX-License-Identifier: Apache-2.0
// Every key of a head is the same, so every score of a row ties; V holds small integers.
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

ElementSource source(const Problem& problem) {
  return [problem](const Element& at) {
    if (at.tensor == TensorName::value) return static_cast<double>(draw_for(problem, at).integer(-8, 8));
    if (at.tensor == TensorName::query) return normal_for(problem, at);
    return normal_for(problem, {at.tensor, at.batch, at.head, 0, at.channel});  // the first key of its head
  };
}

const Registration<Fill> registered{{
    .name = "ties",
    .aim = "rows whose scores are all equal: the answer is the plain mean of V over the visible keys",
    .arguments = "",
    .argument_count = 0,
    .source = source,
    .drawing = {.turn = 1, .chance = 0.5},
}};

}  // namespace
}  // namespace attestone::inline conformance
