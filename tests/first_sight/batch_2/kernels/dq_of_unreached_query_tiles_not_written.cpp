// SPDX-License-Identifier: Apache-2.0
// A tile of queries that no tile of keys reaches is skipped as a whole, and its dQ keeps what lay in the memory.
// Thread: Dao-AILab/flash-attention #2568: for trip count zero dQ must be written as zero.
// Shows in dQ where 16 queries in a row see nothing: causal with queries > keys, lengths of 0, documents, empty rows.
#include "../hosts/adapter.hpp"
#include "../hosts/tiled_forward.hpp"
#include "../hosts/two_pass_backward.hpp"

class Fault : public TwoPassBackward {
 protected:
  bool writes_unreached_tiles() const override { return false; }
};

EXPORT_KERNEL(TiledForward, Fault)
