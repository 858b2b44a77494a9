// SPDX-License-Identifier: Apache-2.0
// A kernel that is to be judged, and how a command line asks for it.
#pragma once

#include <concepts>
#include <string>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// What a run judges: repro lines ask for the kernel by `option`, limits of its calls included.
struct Candidate {
  Candidate(SharedKernel its_kernel, std::string its_option)
      : kernel(std::move(its_kernel)), option(std::move(its_option)) {}
  /// Asked for by its name: "--kernel='flash'".
  template <std::convertible_to<SharedKernel> K>
  Candidate(K its_kernel) : kernel(std::move(its_kernel)), option(option_of(*kernel)) {}

  SharedKernel kernel;
  std::string option;  ///< "--plugin='./libmine.so' --timeout=5s"

 private:
  static std::string option_of(const Kernel&);
};

}  // namespace attestone::inline conformance
