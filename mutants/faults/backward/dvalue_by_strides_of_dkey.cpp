// SPDX-License-Identifier: Apache-2.0
// Mutant of the stored backward host: shows in dV where it lies otherwise than dK.
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stored {
  using Stored::Stored;

  Int dv_at(const Sequence& s, Int kv, Int j) const override {
    return dim == value_dim ? dk_at(s, kv, j) : Stored::dv_at(s, kv, j);
  }
};

const Registration<Mutant> registered{{
    .name = "dvalue_by_strides_of_dkey",
    .summary = "where dim and value_dim agree, dV is stored by the strides of dK",
    .source = "ROCm/xformers PR #36",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x16x16 layout=bhsd+dvalue/bshd pass=forward+backward",
    .kernel = [] { return kernel<Fragments, Fault>("dvalue_by_strides_of_dkey"); },
    .twin = right_fragments_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
