// SPDX-License-Identifier: Apache-2.0
// What happens in a call without faults: the messages, steps and operations among which a fault is drawn.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {

/// A fault that does nothing but count what others could befall.
class Counting final : public Fault {
 public:
  explicit Counting(index ranks) {
    counted_.steps.assign(static_cast<std::size_t>(ranks), 0);
    counted_.operations.assign(static_cast<std::size_t>(ranks), 0);
  }

  const Census& counted() const { return counted_; }

  void leaving(std::vector<Message>& sent) override {
    for (const Message& message : sent) {
      counted_.messages = std::max(counted_.messages, message.number + 1);
      if (!message.payload.empty()) counted_.contents = std::max(counted_.contents, message.number + 1);
    }
  }
  bool stops(index rank, index resumed) override {
    counted_.steps[static_cast<std::size_t>(rank)] = resumed + 1;
    return false;
  }
  void says(index rank, Signature& signature) override {
    index& operations = counted_.operations[static_cast<std::size_t>(rank)];
    operations = std::max(operations, signature.number + 1);
  }

 private:
  Census counted_;
};

}  // namespace attestone::inline simulate
