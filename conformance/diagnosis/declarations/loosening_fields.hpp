// SPDX-License-Identifier: Apache-2.0
// The fields of a declaration that allow a kernel more the larger they are, and their values in steps.
#pragma once

#include <string>
#include <vector>

#include "reference/numerics/numerics.hpp"

namespace attestone::inline conformance {

/// One name that can be declared, with the values that are tried, the tightest first.
struct LooseningField {
  std::string name;
  std::vector<std::string> values;  ///< powers of two above what is declared, or "yes"
  bool leans = false;               ///< its errors may all go one way

  std::string declares(std::size_t value) const { return name + "=" + values[value]; }
};

/// Every field that is a size or a choice between no and yes, and short names of several, over what is declared.
std::vector<LooseningField> loosening_fields(const Numerics& declared);

}  // namespace attestone::inline conformance
