// SPDX-License-Identifier: Apache-2.0
// WRONG: channel c of V is multiplied by the scale of channel c mod 64, as if no head had more channels.
#include "../hosts/tiles.hpp"

namespace {

struct Wraps : tiles::WarpFp8 {
  static int64_t value_scale_channel(int64_t c) { return c % 64; }
};

}  // namespace

DOOR_EXPORT(tiles::Launch<Wraps>)
