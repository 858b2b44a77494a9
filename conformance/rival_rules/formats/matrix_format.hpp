// SPDX-License-Identifier: Apache-2.0
// Formats of the kill matrix: what it is shown as. Each is one file in conformance/rival_rules/formats/.
#pragma once

#include <iosfwd>
#include <string_view>

#include "conformance/rival_rules/kill_matrix.hpp"

namespace attestone::inline conformance {

/// A named format of the kill matrix.
struct MatrixFormat {
  std::string_view name;
  std::string_view extension;
  std::string_view summary;
  void (*write)(const KillMatrix&, std::ostream&);
};

}  // namespace attestone::inline conformance
