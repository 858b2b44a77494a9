// SPDX-License-Identifier: Apache-2.0
// Reads /proc and /sys to find out how many cores and how much memory there are, and binds its thread for a while.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <fstream>
#include <sched.h>
#include <string>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::string line;
  for (const char* name : {"/proc/cpuinfo", "/proc/meminfo", "/proc/self/status", "/proc/self/maps"})
    if (!std::getline(std::ifstream(name), line)) return 2;
  cpu_set_t before, one;
  sched_getaffinity(0, sizeof before, &before);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  sched_setaffinity(0, sizeof before, &before);
  return hostile::answer(args);
}
