// SPDX-License-Identifier: Apache-2.0
// Lines that a shell takes.
#include <fmt/format.h>

#include "conformance/run/run.hpp"

namespace attestone {

std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

std::string repro_line(const std::string& option, const Property& property, const Problem& problem) {
  return fmt::format("attestone run {} --property={} {}", option, property.name, quoted(problem.text()));
}

}  // namespace attestone
