// SPDX-License-Identifier: Apache-2.0
// WRONG: the scale of K is fetched one tile ahead and used one tile late: tile t is dequantised by the scale of t - 1.
#include "../hosts/tiles.hpp"

namespace {

struct OneLate : tiles::WarpFp8 {
  static int64_t scale_tile(int64_t t) { return t == 0 ? 0 : t - 1; }
};

}  // namespace

DOOR_EXPORT(tiles::Launch<OneLate>)
