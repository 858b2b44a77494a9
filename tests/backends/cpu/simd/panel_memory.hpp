// SPDX-License-Identifier: Apache-2.0
// Aligned memory with guards around it, random numbers to put into it, and every instruction set to run on.
#pragma once

#include <gtest/gtest.h>
#include <random>

#include "backends/cpu/simd/panel.hpp"
#include "backends/device.hpp"
#include "tests/one_target.hpp"

namespace attestone {

/// Floats that begin where panels do. What stands behind them must stay.
class PanelMemory {
 public:
  explicit PanelMemory(index count) : count_(count), memory_(device(), count + guards, "floats") {
    std::ranges::fill(memory_.span(), guard);
  }
  ~PanelMemory() {
    for (index i = count_; i < count_ + guards; ++i) EXPECT_EQ(memory_[i], guard) << "written behind the end";
  }
  PanelMemory(const PanelMemory&) = delete;
  PanelMemory& operator=(const PanelMemory&) = delete;

  float* data() { return memory_.data(); }
  float& operator[](index i) { return memory_[i]; }
  void set_all(float value) { std::fill_n(data(), count_, value); }
  /// Whole numbers from -8 to 8: all sums of products of so few are exact.
  void set_integers(std::mt19937& random) {
    std::uniform_int_distribution<int> integer(-8, 8);
    for (index i = 0; i < count_; ++i) data()[i] = static_cast<float>(integer(random));
  }
  void set_normal(std::mt19937& random, float size = 1) {
    std::normal_distribution<float> normal(0, size);
    for (index i = 0; i < count_; ++i) data()[i] = normal(random);
  }

 private:
  static Device& device() {
    static Device all;
    return all;
  }
  static constexpr index guards = 64;
  static constexpr float guard = -12345;
  index count_;
  Allocation<float> memory_;
};

/// Calls test(random) on every instruction set of this machine.
template <class Test>
void on_every_target(Test test) {
  for_each_target([&] {
    std::mt19937 random(5);
    test(random);
  });
}

}  // namespace attestone
