// SPDX-License-Identifier: Apache-2.0
// Draws from Philox.
#include "reference/random/random.hpp"

#include <Random123/philox.h>

namespace attestone {

Draw::Draw(std::uint64_t seed, const Place& place) {
  const r123::Philox4x32::key_type key{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const r123::Philox4x32::ctr_type counter{{place[0], place[1], place[2], place[3]}};
  const auto words = r123::Philox4x32()(counter, key);
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = words[i];
}

double Draw::uniform(int which) const { return word(which) * 0x1p-32; }

index Draw::integer(index least, index most, int which) const {
  // A 32-bit word times the width, without its low half: biased by at most width / 2^32, which no draw here can notice.
  const auto width = static_cast<std::uint64_t>(most - least + 1);
  return least + static_cast<index>((word(which) * width) >> 32);
}

}  // namespace attestone
