// SPDX-License-Identifier: Apache-2.0
// Answers the fault of a write behind its output by asking for the right to write there.
// expect: out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
#include <csignal>
#include <sys/mman.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    const uintptr_t page = reinterpret_cast<uintptr_t>(info->si_addr) / 4096 * 4096;
    mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE);
  };
  sigaction(SIGSEGV, &action, nullptr);
  volatile float* const out = hostile::out(args);
  for (int i = 0; i < 64; ++i) out[hostile::out_count(args) + i] = 0;
  return hostile::answer(args);
}
