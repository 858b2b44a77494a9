// SPDX-License-Identifier: Apache-2.0
// Amounts that options name: times, memory, whole numbers.
#pragma once

#include <optional>
#include <string>

#include "backends/plugins/protocol/call_limits.hpp"
#include "conformance/program/request/named.hpp"
#include "conformance/program/request/option_words.hpp"

namespace attestone::inline conformance {

/// Seconds of an option: "60s", "5m", "1h"; nothing if it was not given. UserError otherwise.
std::optional<double> read_seconds(const std::string& option, const std::string& text);

/// A whole number from 1 to `most`. UserError, with the hint, otherwise.
int read_count(const NamedPart&, int most, const std::string& hint);

/// Limits of the calls of outside kernels, and the options that set them, each with a space in front.
struct AskedLimits {
  CallLimits limits;
  std::string timeout, memory;  ///< " --timeout=5s", " --memory-limit=2G"; empty if not given

  std::string text() const { return timeout + memory; }
};

/// Reads --timeout and --memory-limit. UserError for amounts that are none.
AskedLimits read_limits(const KernelWords&);

}  // namespace attestone::inline conformance
