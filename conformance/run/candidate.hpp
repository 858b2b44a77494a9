// SPDX-License-Identifier: Apache-2.0
// A kernel that is to be judged, and how a command line asks for it.
#pragma once

#include <concepts>
#include <string>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// How a command line asks for a kernel: "--kernel='ring' --mesh=ring:3 --faults=drop".
struct KernelOption {
  KernelOption(const char* its_kernel) : kernel(its_kernel) {}
  KernelOption(std::string its_kernel, std::string its_mesh = "", std::string its_rest = "")
      : kernel(std::move(its_kernel)), mesh(std::move(its_mesh)), rest(std::move(its_rest)) {}

  std::string kernel;  ///< "--kernel='ring'", "--plugin='./libmine.so'"
  std::string mesh;    ///< "ring:3"; empty for a kernel on one device
  std::string rest;    ///< " --faults=drop": further options, each with a space in front

  std::string text() const;
  /// Asks for this kernel on other devices; a kernel on one device stays there.
  KernelOption on(const std::string& other_mesh) const;
};

/// The kernel that a run judges; repro lines ask for it by `option`, limits of its calls included.
struct Candidate {
  Candidate(SharedKernel its_kernel, KernelOption its_option)
      : kernel(std::move(its_kernel)), option(std::move(its_option)) {}
  /// Asked for by its name: "--kernel='flash'".
  template <std::convertible_to<SharedKernel> K>
  Candidate(K its_kernel) : kernel(std::move(its_kernel)), option(option_of(*kernel)) {}

  SharedKernel kernel;
  KernelOption option;

 private:
  static KernelOption option_of(const Kernel&);
};

}  // namespace attestone::inline conformance
