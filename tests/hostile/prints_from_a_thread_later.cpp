// SPDX-License-Identifier: Apache-2.0
// A thread prints when the call has returned.
// expect: printed --property=repeats_bitwise 'shape=1x2x5x9x8'
#include <chrono>
#include <thread>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static_cast<void>(!write(STDOUT_FILENO, "done\n", 5));
  }).detach();
  return hostile::answer(args);
}
