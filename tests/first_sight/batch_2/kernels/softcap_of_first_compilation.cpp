// SPDX-License-Identifier: Apache-2.0
// The backward kernel is `compiled` once for each dim, value_dim and causal, with the softcap constant of that first
// call. Thread: Dao-AILab/flash-attention #2402: a JIT cache whose key lacks the softcap. Shows in gradients when a
// process meets a second softcap at the same dims.
#include <map>
#include <tuple>

#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  float softcap(const Call& c) const override {
    static std::map<std::tuple<index_t, index_t, int>, float> compiled;
    if (!(c.a.softcap > 0)) return 0.0f;
    return compiled.try_emplace({c.a.dim, c.a.value_dim, c.a.causal}, float(c.a.softcap)).first->second;
  }
};

EXPORT_KERNEL(TiledForward, Fault)
