// SPDX-License-Identifier: Apache-2.0
// The dropout counter of the backward pass counts rows from the first tile of queries that a tile of keys visits.
// Thread: facebookresearch/xformers #755, described in pytorch/pytorch #102038: wrong gradients for num_keys > 64 with
// dropout and causal. Shows with dropout and causal where tiles of queries are skipped (more than 32 keys).
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  index_t dropout_row(index_t i, index_t first_visited) const override { return i - first_visited; }
};

EXPORT_KERNEL(TiledForward, Fault)
