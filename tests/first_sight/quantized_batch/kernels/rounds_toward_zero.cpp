// SPDX-License-Identifier: Apache-2.0
// WRONG: codes are cut off without half a step before it.
#include "../hosts/rows.hpp"

namespace {

struct CutOff : rows::TokenRule {
  static float rounded(float x) { return std::trunc(x); }
};

}  // namespace

DOOR_EXPORT(rows::Attention<rows::TokenInt8<CutOff>>)
