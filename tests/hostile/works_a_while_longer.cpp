// SPDX-License-Identifier: Apache-2.0
// A thread computes for five seconds after each call, and then ends.
// expect: left-thread --property=value_bound 'shape=1x2x5x9x8'
#include <chrono>
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::thread([] {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (volatile int64_t work = 0; std::chrono::steady_clock::now() < until;) work = work + 1;
  }).detach();
  return hostile::answer(args);
}
