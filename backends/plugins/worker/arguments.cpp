// SPDX-License-Identifier: Apache-2.0
// Filling attestone_args, and looking whether they stayed as they were.
#include "backends/plugins/worker/arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "backends/plugins/protocol/filled_arguments.hpp"

namespace attestone::inline backends::worker {
namespace {

/// The holes between fields included.
template <class T>
bool same_bytes(const T& a, const T& b) {
  const auto of_a = std::as_bytes(std::span(&a, 1)), of_b = std::as_bytes(std::span(&b, 1));
  return std::equal(of_a.begin(), of_a.end(), of_b.begin());
}

}  // namespace

KernelArguments::KernelArguments(const wire::Call& call, const Mapping& mapping) : original_(call) {
  std::memcpy(&call_, &original_, sizeof call_);  // the holes between its fields included
  wire::fill(args_, call_, [&](const wire::Region& region) { return mapping.address_of(region); });
  args_.message = message_;
  args_.message_bytes = sizeof message_;
  std::memcpy(&handed_, &args_, sizeof args_);
}

bool KernelArguments::intact() const { return same_bytes(call_, original_) && same_bytes(handed_, args_); }

const char* KernelArguments::message() {
  message_[sizeof message_ - 1] = 0;
  return message_;
}

}  // namespace attestone::inline backends::worker
