// SPDX-License-Identifier: Apache-2.0
// A rank program on a simulated mesh, with any kernel as the local attention of its ranks: a kernel like any other.
#pragma once

#include "backends/distributed/mesh_kernel/distributed_kernel.hpp"
#include "simulate/world/mesh_call.hpp"

namespace attestone::inline simulate {

/// The seed of the order of events, and the faults.
struct MeshEvents {
  std::uint64_t seed = 0;
  std::vector<FaultCall> faults;
};

/// Scatters the rows of a call, runs the program on every rank, and gathers the answers. Padding belongs to no rank,
/// and is answered here.
class MeshKernel final : public DistributedKernel {
 public:
  MeshKernel(std::shared_ptr<const RankProgram> program, SharedKernel local, Mesh mesh, MeshEvents events = {});

  std::vector<SharedKernel> on_fewer_devices() const override;
  void forward(const Problem&, const Arguments&, Device&) const override;
  void backward(const Problem&, const BackwardArguments&, Device&) const override;

 private:
  WorldSettings world(const Device&) const;
  /// The faults of a call, drawn among what happens in a rehearsal of it.
  template <class Pass>
  Faults faults(const MeshShards&, const Problem&, const KernelInputs&, const WorldSettings&, Pass) const;

  MeshEvents events_;
};

}  // namespace attestone::inline simulate
