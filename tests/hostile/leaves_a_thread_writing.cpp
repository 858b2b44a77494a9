// SPDX-License-Identifier: Apache-2.0
// A thread goes on writing the output after the call has returned.
// expect: late-write --property=value_bound 'shape=1x2x5x9x8'
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  volatile float* const out = hostile::out(args);
  std::thread([out] {
    for (;;) *out = *out;
  }).detach();
  return status;
}
