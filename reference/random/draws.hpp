// SPDX-License-Identifier: Apache-2.0
// How random problems draw what is registered: a sequence of draws, and an entry's part in it
// (conformance/problems/generate.hpp).
#pragma once

#include <vector>

#include "reference/random/random.hpp"

namespace attestone {

/// A sequence of draws, each from its own place: what is drawn for, its number, then a running number.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint32_t purpose, index number) : seed_(seed), purpose_(purpose), number_(number) {}

  /// From `least` to `most`, both included.
  index integer(index least, index most) { return next().integer(least, most); }
  bool chance(double probability) { return next().uniform() < probability; }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(integer(0, static_cast<index>(choices.size()) - 1))];
  }

 private:
  Draw next() {
    return Draw(seed_,
                {purpose_, static_cast<std::uint32_t>(number_), static_cast<std::uint32_t>(number_ >> 32), count_++});
  }

  std::uint64_t seed_;
  std::uint32_t purpose_;
  index number_;
  std::uint32_t count_ = 0;
};

/// When random problems draw an entry of a registry.
///
/// A seed always draws the same from the entries that it drew before. So the first entries have a turn, and are drawn
/// together, in the order of their turns and then of their names. An entry without a turn, which is what a new one is,
/// comes in behind them by draws of its own name: it changes no problem but those that it enters.
struct Drawing {
  int turn = 0;           ///< 1, 2, ...; 0: none
  double chance = 0.125;  ///< where entries are asked one by one: that it is taken. Without a turn, 0 means never
};

}  // namespace attestone
