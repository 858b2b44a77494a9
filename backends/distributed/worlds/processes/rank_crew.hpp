// SPDX-License-Identifier: Apache-2.0
// The processes that are the ranks of a mesh, as the judge sees them.
#pragma once

#include <vector>

#include "backends/plugins/program/frame.hpp"
#include "reference/files/safetensors.hpp"
#include "reference/shape.hpp"

namespace attestone::inline backends {

/// Ranks 0, 1, ..., of which a call uses the first ones.
class RankCrew {
 public:
  virtual ~RankCrew() = default;

  virtual index size() const = 0;
  /// Sends each rank its request, and returns their answers. KernelFault for a rank that did not answer, or whose
  /// program made a mistake; Stopped when the run is to stop. One call after the other, from whatever thread.
  virtual std::vector<Safetensors> ask(const std::vector<Frame>& requests) = 0;
  /// The next call finds new processes, where they are this process's own.
  virtual void restart() = 0;
};

/// Throws the fault in a rank's answer, if its program went wrong: texts `fault`, a verdict's reason, and `says`.
void throw_if_fault(const Safetensors& answer, index rank);

}  // namespace attestone::inline backends
