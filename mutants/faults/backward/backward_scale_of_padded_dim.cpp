// SPDX-License-Identifier: Apache-2.0
// Mutant of the stored backward host: shows in all gradients where dim is no multiple of 16.
#include "mutants/hosts/fourth_batch/cascade.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stored {
  using Stored::Stored;

  float scale() const override {
    const auto padded = static_cast<float>(tiles_of(dim, 16) * 16);
    return Stored::scale() * std::sqrt(static_cast<float>(dim) / padded);
  }
};

const Registration<Mutant> registered{{
    .name = "backward_scale_of_padded_dim",
    .summary = "the backward pass scales scores by 1/sqrt(dim) of a dim that is rounded up to a multiple of "
               "16",
    .source = "tile-ai/tilelang-ascend PR #1670",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x24x20 pass=forward+backward",
    .kernel = [] { return kernel<Cascade, Fault>("backward_scale_of_padded_dim"); },
    .twin = right_cascade_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
