// SPDX-License-Identifier: Apache-2.0
// A ring whose keys travel as codes, once more, with coding open to change. Its backward pass is the right one.
#pragma once

#include "backends/distributed/rank/coded_keys.hpp"
#include "mutants/hosts/mesh.hpp"

namespace attestone::inline mutants {

/// A mutant overrides one of the two steps.
class RingOfCodes : public ChangedMethod {
 public:
  RingOfCodes() : ChangedMethod(ring_of_codes.method) {}

  Task<RankAnswer> forward(Rank&, RankInputs) const override;

 protected:
  /// The codes that leave the place that has these rows.
  virtual CodedKeys encoded(Device&, const KeyValue& own) const;
  /// The rows that arrive, in the input format; `before` came one hop earlier, or is the rank's own.
  virtual KeyValue decoded(const Rank&, const CodedKeys& comes, const CodedKeys& before) const;
};

/// visit(head, row) of every row.
template <class Visit>
void for_each_row(const Buffer& rows, const Visit& visit) {
  for (index head = 0; head < rows.heads(); ++head)
    for (index row = 0; row < rows.rows(); ++row) visit(head, row);
}

/// codes = code_of(x, scale) of every number of K and of V.
template <class CodeOf>
void code_again(const KeyValue& own, const CodedKeys& coded, const CodeOf& code_of) {
  const auto code_tensor = [&](const Buffer& rows, const View& codes, const View& scales) {
    for_each_row(rows, [&](index head, index row) {
      for (index c = 0; c < rows.channels(); ++c)
        codes.set(0, head, row, c, code_of(rows.all().value(0, head, row, c), scales.value(0, head, row, 0)));
    });
  };
  code_tensor(own.key, coded.codes.key.all(), coded.scales.key.all());
  code_tensor(own.value, coded.codes.value.all(), coded.scales.value.all());
}

template <class Steps>
SharedKernel mutant_of_codes(const std::string& name) {
  return mesh_mutant(name, std::make_shared<const Steps>(), ring_of_codes.mesh);
}

}  // namespace attestone::inline mutants
