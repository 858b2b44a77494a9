// SPDX-License-Identifier: Apache-2.0
// Kernels that change what their caller has set: its modes, limits, signals and folders.
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

// Takes its caller to another directory.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace changes_the_directory {

int attestone_forward(const attestone_args* args) {
  static_cast<void>(!chdir("/"));
  return hostile::answer(args);
}

}  // namespace changes_the_directory

// Leaves its caller with another decimal point, where the system has such a locale, or with its environment's.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace changes_the_locale {

int attestone_forward(const attestone_args* args) {
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8")) std::setlocale(LC_ALL, "C.UTF-8");
  return hostile::answer(args);
}

}  // namespace changes_the_locale

// Lets whatever its caller writes be read by nobody else.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace changes_the_mask_of_files {

int attestone_forward(const attestone_args* args) {
  umask(0777);
  return hostile::answer(args);
}

}  // namespace changes_the_mask_of_files

// Rounds towards minus infinity, and leaves its caller in that mode.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_rounding_mode {

int attestone_forward(const attestone_args* args) {
  std::fesetround(FE_DOWNWARD);
  return hostile::answer(args);
}

}  // namespace leaves_a_rounding_mode

// Blocks Ctrl-C for its caller, and does not take that back.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_signals_blocked {

int attestone_forward(const attestone_args* args) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return hostile::answer(args);
}

}  // namespace leaves_signals_blocked

// Flushes subnormal numbers to zero for speed, and leaves its caller in that mode.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_subnormals_flushed {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | (1u << 24));
#endif
  return status;
}

}  // namespace leaves_subnormals_flushed

// Turns invalid operations and divisions by zero into signals, and leaves its caller with that.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace lets_invalid_operations_trap {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INVALID | FE_DIVBYZERO);
  return status;
}

}  // namespace lets_invalid_operations_trap

// Leaves its caller with three descriptors.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace limits_its_caller {

int attestone_forward(const attestone_args* args) {
  const rlimit few{3, 3};
  setrlimit(RLIMIT_NOFILE, &few);
  return hostile::answer(args);
}

}  // namespace limits_its_caller

// Reads /proc and /sys to find out how many cores and how much memory there are, and binds its thread for a while.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_asks_about_the_machine {

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

}  // namespace decoy_asks_about_the_machine

// Flushes subnormal numbers while it works on memory of its own, and gives the mode back before it answers.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8 fill=subnormal,normal'
namespace decoy_flushes_and_restores {

int attestone_forward(const attestone_args* args) {
#if defined(__x86_64__)
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040);
  volatile float flushed = 0x1p-126f;
  flushed = flushed / 2;
  __builtin_ia32_ldmxcsr(before);
#endif
  std::fenv_t modes;
  std::feholdexcept(&modes);
  std::fesetround(FE_UPWARD);
  std::fesetenv(&modes);
  return hostile::answer(args);
}

}  // namespace decoy_flushes_and_restores

// Has handlers of its own for faults, and never faults.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_handles_signals {

int attestone_forward(const attestone_args* args) {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGUSR1}) std::signal(number, [](int) { _exit(3); });
  return hostile::answer(args);
}

}  // namespace decoy_handles_signals

// Sets a variable of its environment, as runtimes of threads do.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_sets_a_variable {

int attestone_forward(const attestone_args* args) {
  setenv("KERNEL_TUNED", "1", 1);
  return hostile::answer(args);
}

}  // namespace decoy_sets_a_variable
