// SPDX-License-Identifier: Apache-2.0
// The constants of a format, and formats by name.
#include "reference/dtypes/dtype.hpp"

#include <cmath>

#include "reference/number_formats/rounded.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {

double DType::unit_roundoff() const { return power_of_two(-precision()); }
double DType::smallest_normal() const { return power_of_two(min_exponent()); }
double DType::smallest_subnormal() const { return power_of_two(min_exponent() - precision() + 1); }
double DType::underflow() const { return std::ldexp(1.0, min_exponent() - precision()); }
double DType::largest() const { return decode(largest_code()); }

const DType& dtype(std::string_view name) {
  if (const auto* found = Registry<DType>::find(name)) return *found;
  throw UserError("unknown dtype '" + std::string(name) + "'", did_you_mean(name, Registry<DType>::names()));
}

}  // namespace attestone
