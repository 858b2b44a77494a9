// SPDX-License-Identifier: Apache-2.0
// From the text of a setting to the codes.
#include "backends/cpu/quantization/static_scales.hpp"

namespace attestone::inline backends {

Setting static_scale(std::string_view name) {
  return {name, "own", positive_or("own"), "makes its scales; own: the largest number that shares one"};
}

OperandCodes with_static_scale(OperandCodes codes, const Settings& settings, std::string_view name) {
  if (const auto largest = settings.number(name)) codes.fixed_largest = double{static_cast<float>(*largest)};
  return codes;
}

}  // namespace attestone::inline backends
