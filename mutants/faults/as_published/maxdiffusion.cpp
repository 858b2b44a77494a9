// SPDX-License-Identifier: Apache-2.0
// MaxDiffusion as it was published: a sequence that its devices do not divide is filled up with zeros that nobody
// masks.
#include "mutants/hosts/weighing_padding.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

constexpr std::string_view source =
    "models/attention_flax.py of AI-Hypercomputer/maxdiffusion 7cfb8801, _reshape_data_for_flash";

Mutant padding(std::string_view name, SharedKernel (*kernel)(), SharedKernel (*twin)()) {
  return {
      .name = name,
      .summary = "attends to the keys of zeros by which a sequence is filled up until its devices divide it",
      .source = source,
      .property = "value_bound",
      .reason = "wrong-number",
      .problem = "shape=1x2x3x3x1",
      .variant = "1 key of zeros takes part",
      .kernel = kernel,
      .twin = twin,
  };
}

const Registrations<Mutant> registered{
    padding(
        "maxdiffusion/tokamax_ring/as_published/padding",
        [] { return mesh_mutant<WeighingPadding>("maxdiffusion/tokamax_ring/as_published/padding", ring_of_two); },
        [] { return mesh_twin(ring_of_two); }),
    padding(
        "maxdiffusion/ulysses/as_published/padding",
        [] { return mesh_mutant<WeighingPadding>("maxdiffusion/ulysses/as_published/padding", ulysses_of_two); },
        [] { return mesh_twin(ulysses_of_two); }),
    padding(
        "maxdiffusion/ulysses_ring/as_published/padding",
        [] { return mesh_mutant<WeighingPadding>("maxdiffusion/ulysses_ring/as_published/padding", two_by_two); },
        [] { return mesh_twin(two_by_two); }),
};

}  // namespace
}  // namespace attestone::inline mutants
