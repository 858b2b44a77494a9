// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled and fused backward host: shows for window:left:-1 with more queries than keys, in both passes
// alike.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

template <class Host>
class Fault : public Host {
 protected:
  bool in_band(const Call& c, const Sequence& s, index_t i, index_t j) const override {
    const index_t p = i + s.shift;
    index_t right = c.a.causal != 0 ? 0 : c.a.window_right;
    if (c.a.window_left < 0 && right < 0) return true;
    if (right < 0 || right > c.a.keys) right = c.a.keys;
    return (c.a.window_left < 0 || j >= p - c.a.window_left) && j <= p + right;
  }
};

const Registration<Mutant> registered{{
    .name = "unbounded_window_right_becomes_keys",
    .summary = "a window that is unbounded to the right, or wider than the keys, is given the right bound `keys`",
    .source = "Dao-AILab/flash-attention #895",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x48x16x16 mask=window:40:-1",
    .kernel = [] { return kernel<Fault<TiledForward>, Fault<FusedBackward>>("unbounded_window_right_becomes_keys"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
