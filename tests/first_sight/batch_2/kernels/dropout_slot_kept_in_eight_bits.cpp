// SPDX-License-Identifier: Apache-2.0
// The slot (batch * heads + head) of the dropout counter is kept in a narrow integer and wraps: slots 256 apart draw
// one mask. Thread: pytorch/pytorch #188015: 32-bit dropout offset, distinct (batch, head) slots collapse. Narrowed so
// that small problems reach it. Shows with dropout where batch * heads > 256, in both passes alike.
#include "../hosts/adapter.hpp"
#include "../hosts/tiled_forward.hpp"
#include "../hosts/two_pass_backward.hpp"

template <class Host>
class Fault : public Host {
 protected:
  bool kept(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const override {
    const uint8_t slot = uint8_t(s.number * c.a.heads + h);
    Sequence other = s;
    other.number = slot / c.a.heads;
    return Host::kept(c, other, slot % c.a.heads, i, j);
  }
};

EXPORT_KERNEL(Fault<TiledForward>, Fault<TwoPassBackward>)
