// SPDX-License-Identifier: Apache-2.0
// WRONG: when the maximum rises, sums so far shrink by e^x, though x is to base 2 as all scores are.
#include "../hosts/tiles.hpp"

namespace {

struct BaseE : tiles::ThreadInt8 {
  static float shrink(float difference) { return std::exp(difference); }
};

}  // namespace

DOOR_EXPORT(tiles::Launch<BaseE>)
