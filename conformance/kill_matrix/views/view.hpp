// SPDX-License-Identifier: Apache-2.0
// Views: what a kill matrix is shown as. Each is one file in conformance/kill_matrix/views/.
#pragma once

#include <iosfwd>
#include <string_view>

#include "conformance/kill_matrix/kill_matrix.hpp"

namespace attestone {

/// A named view of the kill matrix.
struct MatrixView {
  std::string_view name;
  std::string_view extension;
  std::string_view summary;
  void (*write)(const KillMatrix&, std::ostream&);
};

}  // namespace attestone
