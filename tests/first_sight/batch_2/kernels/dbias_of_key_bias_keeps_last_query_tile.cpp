// SPDX-License-Identifier: Apache-2.0
// The gradient of a bias without a query axis is stored by each tile of queries, not added to what earlier tiles sent.
// Thread: NVIDIA/TransformerEngine #2537: bias_sq was plumbed as sq, the query axis of dbias being 1; dbias of [1, .,
// 1, s]. Shows in dbias with score=bias:key, more than 16 queries or more than one head.
#include "../hosts/adapter.hpp"
#include "../hosts/tiled_forward.hpp"
#include "../hosts/two_pass_backward.hpp"

class Fault : public TwoPassBackward {
 protected:
  void add_dbias(const Call& c, float& sum, float x, bool first_of_tile) override {
    const bool repeats = c.a.dbias.shape[2] == 1 && c.a.queries > 1;
    sum = repeats && first_of_tile ? x : sum + x;
  }
};

EXPORT_KERNEL(TiledForward, Fault)
