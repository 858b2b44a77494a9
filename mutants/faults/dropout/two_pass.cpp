// SPDX-License-Identifier: Apache-2.0
// Dropout whose counter is narrowed, in both passes alike.
#include "mutants/hosts/workspace_sums/kernel.hpp"
#include "mutants/hosts/workspace_sums/right.hpp"
#include "mutants/hosts/workspace_sums/tiled_forward.hpp"
#include "mutants/hosts/workspace_sums/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::workspace_sums {
namespace {

/// Shows with dropout where batch * heads > 256, in both passes alike. Narrowed so that small problems reach it.
template <class Host>
class DropoutSlotKeptInEightBits : public Host {
 protected:
  bool kept(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const override {
    const uint8_t slot = uint8_t(s.number * c.a.heads + h);
    Sequence other = s;
    other.number = slot / c.a.heads;
    return Host::kept(c, other, slot % c.a.heads, i, j);
  }
};

const Registrations<Mutant> registered{
    {.name = "dropout_slot_kept_in_eight_bits",
     .summary = "the slot (batch * heads + head) of the dropout counter is kept in a narrow integer and wraps: slots "
                "256 apart draw one mask",
     .source = "pytorch/pytorch #188015",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=40x8x4x8x8 dropout=0.3",
     .batch = "second",
     .kernel =
         [] {
           return kernel<DropoutSlotKeptInEightBits<TiledForward>, DropoutSlotKeptInEightBits<TwoPassBackward>>(
               "dropout_slot_kept_in_eight_bits");
         },
     .twin = right_tiled_two_pass},
};

}  // namespace
}  // namespace attestone::inline mutants::workspace_sums
