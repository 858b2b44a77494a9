// SPDX-License-Identifier: Apache-2.0
// Reading numbers and their units.
#include "conformance/program/request/amounts.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace attestone::inline conformance {
namespace {

/// A number and its unit, at most `most`: "1.5m" is 90 with {{"s", 1}, {"m", 60}}.
double amount_of(const NamedPart& part, const std::map<std::string, double>& units, double most, const char* what,
                 const std::string& hint) {
  double amount = 0;
  const std::string& text = part.text;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  const auto unit = units.find(std::string(stop, text.data() + text.size()));
  if (error != std::errc{} || unit == units.end() || !(amount > 0) || !std::isfinite(amount))
    throw UserError(fmt::format("'{}' is no {}", text, what), part.place, hint);
  if (amount * unit->second > most) throw UserError(fmt::format("'{}' is too much", text), part.place, hint);
  return amount * unit->second;
}

index bytes_of(const NamedPart& part) {
  constexpr double most_bytes = 0x1p60;
  return static_cast<index>(amount_of(part, {{"M", 0x1p20}, {"G", 0x1p30}, {"T", 0x1p40}}, most_bytes,
                                      "amount of memory", "write --memory-limit=512M or 2G"));
}

}  // namespace

std::optional<double> read_seconds(const std::string& option, const std::string& text) {
  constexpr double most_seconds = 1e9;
  if (text.empty()) return std::nullopt;
  return amount_of(value_of(option, text), {{"s", 1}, {"m", 60}, {"h", 3600}}, most_seconds, "time",
                   fmt::format("write {}=60s, 5m or 1h", option));
}

int read_count(const NamedPart& part, int most, const std::string& hint) {
  int number = 0;
  const char* const end = part.text.data() + part.text.size();
  const auto [stop, error] = std::from_chars(part.text.data(), end, number);
  if (error != std::errc{} || stop != end || number < 1 || number > most)
    throw UserError(fmt::format("'{}' is no whole number from 1 to {}", part.text, most), part.place, hint);
  return number;
}

AskedLimits read_limits(const KernelWords& words) {
  AskedLimits asked;
  if (const auto seconds = read_seconds("--timeout", words.timeout)) {
    asked.limits.seconds = *seconds;
    asked.timeout = " --timeout=" + words.timeout;
  }
  if (!words.memory_limit.empty()) {
    asked.limits.resident_bytes = bytes_of(value_of("--memory-limit", words.memory_limit));
    asked.memory = " --memory-limit=" + words.memory_limit;
  }
  return asked;
}

}  // namespace attestone::inline conformance
