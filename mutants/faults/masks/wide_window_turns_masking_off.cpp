// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows with window:l:r without causal, l >= keys of the sequence, r < keys.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public TiledForward {
 protected:
  bool dropped(const Unit& u) const {
    const attestone_args& a = call->a;
    return a.mask_form == ATTESTONE_MASK_BAND && !a.causal && a.window_left >= u.keys;
  }
  KeyRange key_range(const Unit& u, int64_t q0, int64_t q1) const override {
    return dropped(u) ? KeyRange{0, u.keys} : TiledForward::key_range(u, q0, q1);
  }
  bool visible(const Unit& u, int64_t i, int64_t j) const override {
    return dropped(u) ? i < u.queries && j < u.keys : TiledForward::visible(u, i, j);
  }
  bool needs_mask(const Unit& u, int64_t q0, int64_t q1, int64_t k0, int64_t k1, bool last) const override {
    return dropped(u) ? k1 > u.keys : TiledForward::needs_mask(u, q0, q1, k0, k1, last);
  }
};

const Registration<Mutant> registered{{
    .name = "wide_window_turns_masking_off",
    .summary = "a window whose left side covers all keys is taken for none: the kernel without a mask runs, and the "
               "right side of the window is forgotten with it",
    .source = "tlc-pack/libflash_attn PR #11, Dao-AILab/flash-attention #895",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x48x48x16 mask=window:60:0",
    .kernel = [] { return kernel<Fault, FusedBackward>("wide_window_turns_masking_off"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
