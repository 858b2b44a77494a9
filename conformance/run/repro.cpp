// SPDX-License-Identifier: Apache-2.0
// Lines that a shell takes.
#include <fmt/format.h>

#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text)
    if (c == '\'')
      all += "'\\''";
    else
      all += c;
  return all += "'";
}

std::string repro_line(const std::string& option, const Property& property, const Problem& problem) {
  return fmt::format("attestone run {} --property={} {}", option, property.name, quoted(problem.text()));
}

std::string repro_of(const Failure& failure) {
  return failure.property ? repro_line(failure.option, *failure.property, failure.least) : failure.rerun;
}

}  // namespace attestone::inline conformance
