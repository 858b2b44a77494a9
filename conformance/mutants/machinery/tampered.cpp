// SPDX-License-Identifier: Apache-2.0
// The tiled kernel with a deed in place of its run.
#include "conformance/mutants/machinery/tampered.hpp"

#include "conformance/mutants/machinery/tiled.hpp"

namespace attestone {

AnyKernel tampered_kernel(std::string name, Deed deed) {
  const AnyKernel honest = tiled_twin();
  AnyKernel tampered = honest;
  tampered.name = std::move(name);
  tampered.run = [honest, deed = std::move(deed)](const Problem& problem, Arguments& arguments) {
    deed(honest, problem, arguments);
  };
  return tampered;
}

AnyKernel tampered_backward_kernel(std::string name, BackwardDeed deed) {
  const AnyKernel honest = tiled_twin();
  AnyKernel tampered = honest;
  tampered.name = std::move(name);
  tampered.run_backward = [honest, deed = std::move(deed)](const Problem& problem, BackwardArguments& arguments) {
    deed(honest, problem, arguments);
  };
  return tampered;
}

}  // namespace attestone
