// SPDX-License-Identifier: Apache-2.0
// Formats of a bench: what its result is shown as. Each is one file in conformance/bench/formats/.
#pragma once

#include <iosfwd>
#include <string_view>

#include "conformance/bench/bench_result.hpp"

namespace attestone::inline conformance {

/// A named format of a bench.
struct BenchFormat {
  std::string_view name;
  std::string_view extension;
  std::string_view summary;
  void (*write)(const BenchResult&, std::ostream&);
};

}  // namespace attestone::inline conformance
