// SPDX-License-Identifier: Apache-2.0
// WRONG: a scale is the largest size / 128, not / 127. What would be 128 saturates.
#include "../hosts/rows.hpp"

namespace {

struct Steps128 : rows::TokenRule {
  static constexpr float steps = 128;
};

}  // namespace

DOOR_EXPORT(rows::Attention<rows::TokenInt8<Steps128>>)
