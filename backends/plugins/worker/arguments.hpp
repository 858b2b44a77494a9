// SPDX-License-Identifier: Apache-2.0
// From what was sent over to what the kernel is handed.
#pragma once

#include "backends/plugins/protocol/kernel.h"
#include "backends/plugins/protocol/wire.hpp"
#include "backends/plugins/worker/mapping.hpp"

namespace attestone::inline backends::worker {

/// Arguments of one call, with everything they point to but the tensors' elements. Stays where it is.
class KernelArguments {
 public:
  /// The call must outlive this.
  KernelArguments(const wire::Call&, const Mapping&);
  KernelArguments(const KernelArguments&) = delete;
  KernelArguments& operator=(const KernelArguments&) = delete;

  const attestone_args* get() const { return &args_; }
  /// The message that the kernel wrote; always ends in 0.
  const char* message();
  /// True if everything but the message is as it was: the kernel may only read shapes and strides, too.
  bool intact() const;

 private:
  const wire::Call& original_;
  wire::Call call_;  ///< a copy: shapes, strides and names live here
  attestone_args args_{}, handed_{};
  char message_[1024] = {};
};

}  // namespace attestone::inline backends::worker
