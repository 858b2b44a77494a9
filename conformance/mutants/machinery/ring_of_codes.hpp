// SPDX-License-Identifier: Apache-2.0
// A ring whose keys travel as codes, once more, with coding open to change. Its backward pass is the right one.
#pragma once

#include "backends/distributed/coded_keys.hpp"
#include "conformance/mutants/machinery/mesh.hpp"

namespace attestone {

/// A mutant overrides one of the two steps.
class RingOfCodes : public ChangedMethod {
 public:
  RingOfCodes() : ChangedMethod(ring_of_codes.method) {}

  Task<RankAnswer> forward(Rank&, RankInputs) const override;

 protected:
  /// What leaves the place that has these rows.
  virtual CodedKeys encoded(Device&, const KeyValue& own) const;
  /// What comes, in the input format; `before` came one hop earlier, or is the rank's own.
  virtual KeyValue decoded(const Rank&, const CodedKeys& comes, const CodedKeys& before) const;
};

/// codes = code_of(x, scale) of every number.
template <class CodeOf>
void code_again(const Buffer& rows, const Buffer& codes, const Buffer& scales, const CodeOf& code_of) {
  const View from = rows.all(), to = codes.all(), scale = scales.all();
  for (index head = 0; head < rows.heads(); ++head)
    for (index row = 0; row < rows.rows(); ++row)
      for (index c = 0; c < rows.channels(); ++c)
        to.set(0, head, row, c, code_of(from.value(0, head, row, c), scale.value(0, head, row, 0)));
}

template <class Steps>
SharedKernel mutant_of_codes(const std::string& name) {
  return mesh_mutant(name, std::make_shared<const Steps>(), ring_of_codes.mesh);
}

}  // namespace attestone
