// SPDX-License-Identifier: Apache-2.0
// WRONG: scales of K are written in rows of ceil(keys / 64), but read as if a row had keys / 64. With a partial block
// at the end each head but the first reads scales of the heads before it.
#include "../hosts/heads.hpp"

namespace {

class ShortRows : public heads::BlockInt8 {
  int64_t key_scale_read_at(const attestone_args& a, int64_t head, int64_t row) const override {
    return head * (a.keys / key_block()) + row / key_block();
  }
};

}  // namespace

DOOR_EXPORT(ShortRows)
