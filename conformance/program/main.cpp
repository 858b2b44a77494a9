// SPDX-License-Identifier: Apache-2.0
// The program attestone: it settles how threads wait, then loads the library and the mutants, and hands the library the
// command line.
//
// OpenMP reads its environment when it is loaded, and by default its threads spin where they wait: beside other work on
// the machine small problems then take many times as long. So the program itself links nothing, and chooses before.
#include <cstdio>
#include <dlfcn.h>

#include "conformance/program/command_line.hpp"
#include "conformance/program/thread_environment.hpp"
#include "conformance/run/exit_status.hpp"

namespace {

using attestone::ExitStatus;

int fail(ExitStatus status, const char* message) {
  std::fprintf(stderr, "attestone: %s\n", message);
  return static_cast<int>(status);
}

}  // namespace

int main(int argc, char** argv) {
  if (const std::string mistake = attestone::mistake_in_thread_environment(); !mistake.empty())
    return fail(ExitStatus::usage, mistake.c_str());
  attestone::let_threads_sleep();
  void* library = dlopen(ATTESTONE_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  if (!library || !dlopen(ATTESTONE_MUTANTS, RTLD_NOW | RTLD_GLOBAL))
    return fail(ExitStatus::internal_error, dlerror());
  const auto command_line =
      reinterpret_cast<decltype(&attestone_command_line)>(dlsym(library, "attestone_command_line"));
  if (!command_line) return fail(ExitStatus::internal_error, dlerror());
  return command_line(argc, argv);
}
