// SPDX-License-Identifier: Apache-2.0
// WRONG: P V is added up in f16 from the first key to the last, where f32 is declared.
#include "../hosts/tiles.hpp"

namespace {

struct Half : tiles::ThreadInt8 {
  static float accumulate(float sum, float p, float v) {
    return door::narrow(static_cast<double>(sum + p * v), door::f16);
  }
};

}  // namespace

DOOR_EXPORT(tiles::Launch<Half>)
