// SPDX-License-Identifier: Apache-2.0
// Commits memory of its own when it is first touched, by a handler of faults, and gives that handler back.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <csignal>
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

namespace {

char* heap = nullptr;

}  // namespace

int attestone_forward(const attestone_args* args) {
  heap = static_cast<char*>(mmap(nullptr, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { mprotect(heap, 8192, PROT_READ | PROT_WRITE); };
  sigaction(SIGSEGV, &action, &before);
  static_cast<volatile char*>(heap)[5000] = 1;
  sigaction(SIGSEGV, &before, nullptr);
  munmap(heap, 8192);
  return hostile::answer(args);
}
