// SPDX-License-Identifier: Apache-2.0
// WRONG: products of codes are added up in 16 bits, which wrap. Many channels and large codes are needed to see it.
#include "../hosts/tiles.hpp"

namespace {

struct Narrow : tiles::ThreadInt8 {
  static int32_t dot(const int8_t* q, const int8_t* k, int64_t dim) {
    uint16_t sum = 0;
    for (int64_t c = 0; c < dim; ++c) sum = static_cast<uint16_t>(sum + q[c] * k[c]);
    return static_cast<int16_t>(sum);
  }
};

}  // namespace

DOOR_EXPORT(tiles::Launch<Narrow>)
