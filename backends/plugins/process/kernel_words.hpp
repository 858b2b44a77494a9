// SPDX-License-Identifier: Apache-2.0
// What outside kernels write to standard error, shown so that nobody takes it for attestone's words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <thread>

#include "backends/plugins/process/descriptor.hpp"

namespace attestone::inline backends {

/// Shows what comes through a pipe on attestone's own standard error, from construction on: line by line, each behind a
/// mark, without control characters, and of all kernels of this process together no more than anybody reads.
class KernelWords {
 public:
  explicit KernelWords(Descriptor pipe);
  /// Shows what has come until now, and hears no more.
  ~KernelWords();
  KernelWords(const KernelWords&) = delete;
  KernelWords& operator=(const KernelWords&) = delete;

  static constexpr std::string_view mark = "kernel | ";
  static constexpr std::size_t longest_line = 2000, most_bytes = 64'000;

 private:
  void listen();
  /// Reads what there is; false if no more will come.
  bool hear();
  void show_line();

  Descriptor pipe_, stop_, its_stop_;
  std::string line_;
  std::thread listener_;
};

}  // namespace attestone::inline backends
