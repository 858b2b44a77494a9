// SPDX-License-Identifier: Apache-2.0
// A bias [batch, 1, ., keys] is expanded to the flat axis (batch, head) as if that were (head, batch): flat index mod
// batch. Thread: lucidrains/graph-transformer-pytorch #2: the mask of a batch meets the heads right only for batch 1.
// Shows with score=bias:batch or bias:key, batch and heads above 1.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

template <class Host>
class Fault : public Host {
 protected:
  float bias(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const override {
    Sequence other = s;
    if (c.has_bias() && c.a.bias.strides[0] != 0 && c.a.bias.strides[1] == 0)
      other.number = (s.number * c.a.heads + h) % c.a.batch;
    return Host::bias(c, other, h, i, j);
  }
};

EXPORT_KERNEL(Fault<TiledForward>, Fault<FusedBackward>)
