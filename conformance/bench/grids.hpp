// SPDX-License-Identifier: Apache-2.0
// Grids: the problems that `attestone bench` knows by name.
#pragma once

#include <string_view>
#include <vector>

namespace attestone::inline conformance {

/// A named list of problems, a line each; commas multiply.
struct Grid {
  std::string_view name;
  std::string_view meaning;
  std::vector<std::string_view> problems;
};
const std::vector<Grid>& grids();

}  // namespace attestone::inline conformance
