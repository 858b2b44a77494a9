// SPDX-License-Identifier: Apache-2.0
// Naming this build and this machine.
#include "conformance/program/machine.hpp"

#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <hwy/highway.h>
#include <hwy/targets.h>
#include <sys/utsname.h>

namespace attestone::inline conformance {

std::string version() { return ATTESTONE_VERSION; }

std::string instruction_set() {
  // Highway numbers better targets lower: the lowest bit that is set is the best one supported.
  const auto supported = hwy::SupportedTargets();
  return hwy::TargetName(supported & -supported);
}

std::string compiler() { return ATTESTONE_COMPILER; }

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "a processor without a name";
}

std::string operating_system() {
  utsname machine{};
  uname(&machine);
  return fmt::format("{} {} {}", machine.sysname, machine.release, machine.machine);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  localtime_r(&now, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

}  // namespace attestone::inline conformance
