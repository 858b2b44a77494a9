// SPDX-License-Identifier: Apache-2.0
// A thread goes on writing the output after the call, and a handler hides that it is not there any more.
// expect: late-write|left-thread --property=value_bound 'shape=1x2x5x9x8'
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  struct sigaction action {};
  action.sa_handler = [](int) { std::this_thread::sleep_for(std::chrono::hours(1)); };
  sigaction(SIGSEGV, &action, nullptr);
  const int status = hostile::answer(args);
  volatile float* const out = hostile::out(args);
  std::thread([out] {
    for (;;) *out = 17;
  }).detach();
  return status;
}
