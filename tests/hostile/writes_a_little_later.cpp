// SPDX-License-Identifier: Apache-2.0
// A thread sleeps for a hundredth of a second after the call, and then writes the output.
// expect: late-write --property=guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <chrono>
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  volatile float* const out = hostile::out(args);
  std::thread([out] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    *out = 17;
  }).detach();
  return status;
}
