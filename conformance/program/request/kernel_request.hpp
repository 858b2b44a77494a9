// SPDX-License-Identifier: Apache-2.0
// The kernels that a command line asks for, and their devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/program/request/amounts.hpp"
#include "conformance/program/request/declared.hpp"
#include "conformance/program/request/mesh_request.hpp"

namespace attestone::inline conformance {

/// All that is known of the kernels before any process is started for them.
struct KernelRequest {
  std::vector<Candidate> named;                ///< those of this process, each on one device
  std::vector<std::string> plugins, programs;  ///< paths of shared libraries; lines for a shell
  AskedLimits limits;                          ///< of the calls of outside kernels
  std::optional<MeshRequest> mesh;
  std::optional<Declared> declared;
};

/// UserError for names that there are not, for options that do not fit together, and where no kernel is asked for.
KernelRequest read_kernel_request(const KernelWords&, WorldKind = WorldKind::simulated);

}  // namespace attestone::inline conformance
