// SPDX-License-Identifier: Apache-2.0
// Remembers each operation from the first member that begins it to the last.
#include "simulate/world/agreement.hpp"

#include <fmt/format.h>

#include "backends/kernel_fault.hpp"

namespace attestone::inline simulate {

void Agreement::begun(index rank, const Group& group, const Signature& signature) {
  History& history = histories_[{group.name, group.members}];
  history.begun.resize(group.members.size());
  const index number = history.begun[static_cast<std::size_t>(group.place)]++;
  if (number == history.most()) history.waiting.push_back({rank, signature, 0});
  First& first = history.waiting[static_cast<std::size_t>(number - history.done)];
  if (first.signature.operation != signature.operation || first.signature.number != signature.number)
    throw KernelFault("mismatched-message", fmt::format("rank {} begins {} at {}, where rank {} began {} at {}", rank,
                                                        signature.text(), signature.where.text(), first.rank,
                                                        first.signature.text(), first.signature.where.text()));
  if (++first.members < group.size()) return;
  history.waiting.pop_front();  // nobody begins an operation before all those that came before it
  ++history.done;
}

std::string Agreement::text(const std::string& group, index rank, const History& history, index begun) {
  const First& first = history.waiting[static_cast<std::size_t>(begun - history.done)];
  return fmt::format("rank {} has ended after {} operations of group {}, where rank {} began {} at {}", rank, begun,
                     group, first.rank, first.signature.text(), first.signature.where.text());
}

}  // namespace attestone::inline simulate
