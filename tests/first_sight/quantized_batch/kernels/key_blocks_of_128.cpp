// SPDX-License-Identifier: Apache-2.0
// WRONG: a block of 128 keys shares a scale, as one of queries does, where 64 are declared.
#include "../hosts/heads.hpp"

namespace {

class OneBlockSize : public heads::BlockInt8 {
  int64_t key_block() const override { return query_block; }
};

}  // namespace

DOOR_EXPORT(OneBlockSize)
