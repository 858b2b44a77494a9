// SPDX-License-Identifier: Apache-2.0
// Mutant: the forward pass guards empty rows, the backward pass does not.
#include <cmath>

#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct EmptyRowNanInBackward : FusedSteps {
  bool weighs_hidden_pairs() const override { return true; }
  float weight(float s, float L) const override { return std::exp(s - L); }
};

const Registration<Mutant> registered{{
    .name = "empty_row_nan_in_backward",
    .summary = "recomputes the weights of an empty row as exp(-inf + inf)",
    .source = "Xilinx/brevitas PR #1591",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x2x1x1 mask=causal pass=forward+backward",
    .kernel = [] { return fused_mutant<EmptyRowNanInBackward>("empty_row_nan_in_backward"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
