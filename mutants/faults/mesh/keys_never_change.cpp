// SPDX-License-Identifier: Apache-2.0
// Mutant: gradients of the keys that the ring began with, at every step.
#include "mutants/hosts/diffusers_ring.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "keys_never_change",
    .summary = "computes every step of the backward pass with the keys that it began with, and sends these on",
    .source = "huggingface/diffusers #14265, by its words",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x2x2x1 pass=forward+backward",
    .variant = "own keys at every step of 2 in the backward pass",
    .kernel = [] { return mesh_mutant<KeysNeverChange>("keys_never_change", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
