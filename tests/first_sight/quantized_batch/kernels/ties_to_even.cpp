// SPDX-License-Identifier: Apache-2.0
// WRONG: codes go to the nearest integer with ties to even, where ties away from 0 are declared. Ties are frequent in
// bf16 rows whose largest size is 127 steps of a power of two.
#include "../hosts/rows.hpp"

namespace {

struct TiesToEven : rows::TokenRule {
  static float rounded(float x) { return std::nearbyint(x); }
};

}  // namespace

DOOR_EXPORT(rows::Attention<rows::TokenInt8<TiesToEven>>)
