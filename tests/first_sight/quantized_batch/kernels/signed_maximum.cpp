// SPDX-License-Identifier: Apache-2.0
// WRONG: the scale comes from the largest number of a row, not from the largest size: negative numbers that are larger
// saturate at -128.
#include "../hosts/rows.hpp"

namespace {

struct Signed : rows::TokenRule {
  static float largest(const rows::Row& x) {
    float a = 0;
    for (const float v : x) a = std::isnan(v) || v > a ? v : a;
    return a;
  }
};

}  // namespace

DOOR_EXPORT(rows::Attention<rows::TokenInt8<Signed>>)
