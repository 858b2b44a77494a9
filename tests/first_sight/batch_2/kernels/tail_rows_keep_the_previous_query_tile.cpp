// SPDX-License-Identifier: Apache-2.0
// The last tile of queries is loaded without a mask for its missing rows: they still hold those of the tile before,
// which count twice. Thread: flagos-ai/FlagGems #3607: the load of dO lacked its mask where Q_CTX is not a multiple of
// the tile. Shows in dK and dV for more than 32 queries that are no multiple of 32.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  bool tail_rows_are_masked() const override { return false; }
};

EXPORT_KERNEL(TiledForward, Fault)
