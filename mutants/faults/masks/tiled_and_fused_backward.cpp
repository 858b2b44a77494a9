// SPDX-License-Identifier: Apache-2.0
// Bands that are aligned or bounded by the extents of the batch, in both passes alike.
#include "mutants/hosts/workspace_sums/fused_backward.hpp"
#include "mutants/hosts/workspace_sums/kernel.hpp"
#include "mutants/hosts/workspace_sums/right.hpp"
#include "mutants/hosts/workspace_sums/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::workspace_sums {
namespace {

/// Shows for causal masks, windows and ALiBi in batches with lengths, in both passes alike.
template <class Host>
class DiagonalOfPaddedExtents : public Host {
 protected:
  Sequence sequence(const Call& c, index_t b) const override {
    Sequence s = Host::sequence(c, b);
    s.shift = c.a.keys - c.a.queries;
    return s;
  }
};

/// Shows for window:left:-1 with more queries than keys, in both passes alike.
template <class Host>
class UnboundedWindowRightBecomesKeys : public Host {
 protected:
  bool in_band(const Call& c, const Sequence& s, index_t i, index_t j) const override {
    const index_t p = i + s.shift;
    index_t right = c.a.causal != 0 ? 0 : c.a.window_right;
    if (c.a.window_left < 0 && right < 0) return true;
    if (right < 0 || right > c.a.keys) right = c.a.keys;
    return (c.a.window_left < 0 || j >= p - c.a.window_left) && j <= p + right;
  }
};

const Registrations<Mutant> registered{
    {.name = "diagonal_of_padded_extents",
     .summary = "the diagonal's offset keys - queries is taken once from the padded extents, not from each sequence's "
                "own lengths",
     .source = "ROCm/rocm-libraries #10999",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x2x24x24x16 lengths=24+13 mask=causal",
     .batch = "second",
     .kernel =
         [] {
           return kernel<DiagonalOfPaddedExtents<TiledForward>, DiagonalOfPaddedExtents<FusedBackward>>(
               "diagonal_of_padded_extents");
         },
     .twin = right_tiled_fused},
    {.name = "unbounded_window_right_becomes_keys",
     .summary = "a window that is unbounded to the right, or wider than the keys, is given the right bound `keys`",
     .source = "Dao-AILab/flash-attention #895",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x48x16x16 mask=window:40:-1",
     .batch = "second",
     .kernel =
         [] {
           return kernel<UnboundedWindowRightBecomesKeys<TiledForward>, UnboundedWindowRightBecomesKeys<FusedBackward>>(
               "unbounded_window_right_becomes_keys");
         },
     .twin = right_tiled_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::workspace_sums
