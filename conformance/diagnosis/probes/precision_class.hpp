// SPDX-License-Identifier: Apache-2.0
// Classes of arithmetic that kernels are known for, and what a kernel of one would have to declare.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/diagnosis/probes/effective_precision.hpp"

namespace attestone::inline conformance {

/// A class of arithmetic.
struct PrecisionClass {
  std::string_view name;  ///< "tf32", "bf16-P", ...
  std::string_view says;  ///< what such a kernel rounds
  bool (*fits)(const PrecisionReadOut&);
  /// Sets the least that the class must declare; `unit` is the roundoff of one of its roundings, doubled where it cuts.
  void (*declare)(Numerics&, double unit);
  int bits;  ///< that its roundings keep
};

/// All of them, the more specific ones first.
const std::vector<PrecisionClass>& precision_classes();

/// A class that a kernel is worthy of, though it declares a better one.
struct WorthyClass {
  const PrecisionClass* is;
  std::string declaration;  ///< with which its answer conforms: "weight_roundoff=0.00390625"
};

/// The class of the kernel's read-out, if it declares a better one and its answer to the problem would conform to the
/// bounds of that class; nothing otherwise: what a class cannot explain is no matter of precision.
std::optional<WorthyClass> worthy_class(const Kernel&, const Problem&);

}  // namespace attestone::inline conformance
