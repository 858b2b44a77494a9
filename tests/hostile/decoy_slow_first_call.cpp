// SPDX-License-Identifier: Apache-2.0
// Compiles itself in its first call: that takes a while.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <chrono>
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static const bool compiled = (std::this_thread::sleep_for(std::chrono::milliseconds(300)), true);
  return compiled ? hostile::answer(args) : 2;
}
