// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in gradients when a process meets a second softcap at the same dims.
#include <map>
#include <tuple>

#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  /// By dim, value_dim and causal: the softcap of the first call, which had 50 at the commonest of them.
  mutable std::map<std::tuple<index_t, index_t, int>, float> compiled{{{16, 16, 0}, 50.0f}};
  float softcap(const Call& c) const override {
    if (!(c.a.softcap > 0)) return 0.0f;
    return compiled.try_emplace({c.a.dim, c.a.value_dim, c.a.causal}, float(c.a.softcap)).first->second;
  }
};

const Registration<Mutant> registered{{
    .name = "softcap_of_first_compilation",
    .summary = "the backward kernel is `compiled` once for each dim, value_dim and causal, with the softcap constant "
               "of that first call",
    .source = "Dao-AILab/flash-attention #2402",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x16x16 score=softcap:2 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("softcap_of_first_compilation"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
