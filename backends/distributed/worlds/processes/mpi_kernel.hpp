// SPDX-License-Identifier: Apache-2.0
// A rank program on real processes, which talk over MPI: a kernel like any other.
#pragma once

#include "backends/distributed/mesh_kernel/distributed_kernel.hpp"
#include "backends/distributed/worlds/processes/rank_crew.hpp"

namespace attestone::inline backends {

/// Sends every rank the rows that it holds, and puts together what they answer. Padding belongs to no rank, and is
/// answered here. The bits are those of the simulated world.
class MpiKernel final : public DistributedKernel {
 public:
  /// `method` and `local` are texts, of which each rank makes its own: "ring:hops=all", "flash". UserError for one
  /// that names nothing.
  MpiKernel(std::string method, std::string local, Mesh, std::shared_ptr<RankCrew>);

  /// "ring on ring:3 by MPI"
  std::string name() const override { return DistributedKernel::name() + " by MPI"; }
  std::vector<SharedKernel> on_fewer_devices() const override;
  void forward(const Problem&, const Arguments&, Device&) const override;
  void backward(const Problem&, const BackwardArguments&, Device&) const override;
  void restart() const override { crew_->restart(); }

 private:
  /// The part of a request that all ranks receive.
  Frame request(const char* pass, const Problem&, const KernelInputs&, const Device&) const;
  /// Asks every rank; `held` says what the rank begins with.
  template <class Held>
  std::vector<Safetensors> ask(const Frame& of_all, Held held) const;

  std::string method_, local_text_;
  std::shared_ptr<RankCrew> crew_;
};

}  // namespace attestone::inline backends
