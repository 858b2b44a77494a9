// SPDX-License-Identifier: Apache-2.0
// Lines that a shell takes.
#include <fmt/format.h>

#include "conformance/run/run.hpp"
#include "reference/registry.hpp"

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
  if (!failure.property) return failure.rerun;
  std::string line = fmt::format("attestone run {} --property={}", failure.option, failure.property->name);
  if (failure.again)
    for (const Problem& before : failure.again->before) line += " " + quoted(before.text());
  return line + " " + quoted(failure.least.text());
}

std::string repro_of_derived(const Failure& failure) {
  if (!failure.derived) return "";
  return repro_line(failure.option, *Registry<Property>::find("value_bound"), *failure.derived);
}

}  // namespace attestone::inline conformance
