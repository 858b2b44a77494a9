// SPDX-License-Identifier: Apache-2.0
// Recursion in a thread that goes deeper than the thread's stack.
// expect: crashed --property=value_bound 'shape=1x2x5x9x8'
#include <thread>

#include "tests/hostile/honest.hpp"

namespace {

int deeper(const attestone_args* args, int depth) {
  if (args->heads == depth + 3) return 0;  // never: compilers warn of what they see
  volatile char page[4096] = {};
  page[depth % 4096] = 1;
  return deeper(args, depth + 1) + page[0];
}

}  // namespace

int attestone_forward(const attestone_args* args) {
  int status = 0;
  std::thread([&] { status = deeper(args, 0); }).join();
  return status;
}
