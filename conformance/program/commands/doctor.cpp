// SPDX-License-Identifier: Apache-2.0
// attestone doctor: what a bug report needs to say of this machine and this build.
#include <fmt/format.h>
#include <gmp.h>
#include <omp.h>

#include "backends/plugins/process/measures.hpp"
#include "conformance/bench/limits/limits.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/program/machine.hpp"
#include "reference/certified/numbers/mpfr.hpp"

namespace attestone::inline conformance {

ExitStatus doctor_command() {
  fmt::print("attestone        {}\n", version());
  fmt::print("compiler         {}\n", compiler());
  fmt::print("system           {}\n", operating_system());
  fmt::print("instruction set  {}\n", instruction_set());
  fmt::print("threads          {} (OMP_NUM_THREADS changes it)\n", omp_get_max_threads());
  fmt::print("mpfr             {}, gmp {}\n", mpfr_get_version(), gmp_version);
  Limits limits(omp_get_max_threads());
  constexpr double giga = 1e9;
  const auto measured = [&](const char* name) { return limits.measure(name).value_or(0) / giga; };
  fmt::print("multiply-adds    f64 {:.0f} Gflop/s, f32 {:.0f} Gflop/s, on all threads\n", measured("f64"),
             measured("f32"));
  fmt::print("memory reads     {:.0f} GB/s, on all threads\n", measured("read"));
  fmt::print("outside kernels  (docs/plugins.md)\n");
  for (const IsolationMeasure& measure : isolation_measures())
    fmt::print("  {:<27} {}\n", measure.name,
               measure.holds ? "yes" : fmt::format("no ({}): {}", measure.needs, measure.without));
  return ExitStatus::ok;
}

}  // namespace attestone::inline conformance
