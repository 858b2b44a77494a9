// SPDX-License-Identifier: Apache-2.0
// attestone doctor: what a bug report needs to say of this machine and this build.
#include <fmt/format.h>
#include <gmp.h>
#include <mpfr.h>
#include <omp.h>
#include <sys/utsname.h>

#include "conformance/commands/commands.hpp"
#include "conformance/machine.hpp"

namespace attestone {

ExitStatus doctor_command() {
  utsname machine{};
  uname(&machine);
  fmt::print("attestone        {}\n", version());
  fmt::print("compiler         {}\n", __VERSION__);
  fmt::print("system           {} {} {}\n", machine.sysname, machine.release, machine.machine);
  fmt::print("instruction set  {}\n", instruction_set());
  fmt::print("threads          {} (OMP_NUM_THREADS changes it)\n", omp_get_max_threads());
  fmt::print("mpfr             {}, gmp {}\n", mpfr_get_version(), gmp_version);
  return ExitStatus::ok;
}

}  // namespace attestone
