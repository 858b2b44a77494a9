// SPDX-License-Identifier: Apache-2.0
// WRONG: thread t of a warp has rows 4 t to 4 t + 3 of the query, where 8 i + t are declared.
#include "../hosts/tiles.hpp"

namespace {

struct Runs : tiles::ThreadInt8 {
  struct QueryGroups {
    static constexpr int per_warp = 8;
    static int group(int r) { return r / 4; }
  };
};

}  // namespace

DOOR_EXPORT(tiles::Launch<Runs>)
