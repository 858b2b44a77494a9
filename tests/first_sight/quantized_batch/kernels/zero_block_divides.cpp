// SPDX-License-Identifier: Apache-2.0
// WRONG: codes are x / scale also in a block of zeros, whose scale is 0. One key alone is such a block without its
// mean.
#include "../hosts/heads.hpp"

namespace {

class Unguarded : public heads::BlockInt8 {
  float code(float x, float scale) const override {
    const float y = x / scale;
    return std::trunc(y + (y >= 0 ? 0.5F : -0.5F));
  }
};

}  // namespace

DOOR_EXPORT(Unguarded)
