// SPDX-License-Identifier: Apache-2.0
// Mutant: max_logits counts the sink.
#include <algorithm>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct MaxLogitsWithSink : TiledSteps {
  float max_logit(float largest, std::optional<float> sink) const override {
    return sink ? std::max(largest, *sink) : largest;
  }
};

const Registration<Mutant> registered{{
    .name = "max_logits_with_sink",
    .summary = "the largest score is that of keys and sink",
    .property = "value_bound",
    .reason = "wrong-max-logits",
    .problem = "shape=1x1x4x1x1 score=sink:head wants=max_logits",
    .kernel = [] { return tiled_mutant<MaxLogitsWithSink>("max_logits_with_sink"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
