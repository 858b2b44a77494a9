// SPDX-License-Identifier: Apache-2.0
// Looking for a visible key, some keys at a time.
#include "backends/cpu/parts/sees_any_key.hpp"

#include <array>

namespace attestone::inline backends {

bool SeesAnyKey::operator()(index query) const {
  std::array<float, 64> buffer;
  constexpr auto stretch = static_cast<index>(buffer.size());
  bool any = false;
  for (index first = 0; first < keys_ && !any; first += stretch) {
    const Interval some{first, std::min(first + stretch, keys_) - 1};
    visible_.for_each_run(query, some, scores_.biases(query, some, buffer.data()), [&](Interval) { any = true; });
  }
  return any;
}

}  // namespace attestone::inline backends
