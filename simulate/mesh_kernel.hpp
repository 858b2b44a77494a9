// SPDX-License-Identifier: Apache-2.0
// A rank program on a simulated mesh, with any kernel as the local attention of its ranks: a kernel like any other.
#pragma once

#include "simulate/mesh_call.hpp"

namespace attestone {

/// What happens when, and what goes wrong.
struct MeshEvents {
  std::uint64_t seed = 0;
  std::vector<FaultCall> faults;
};

/// Scatters the rows of a call, runs the program on every rank, and gathers the answers. Padding belongs to no rank,
/// and is answered here.
class MeshKernel final : public Kernel {
 public:
  MeshKernel(std::shared_ptr<const RankProgram> program, SharedKernel local, Mesh mesh, MeshEvents events = {});

  /// "ring on ring:3", with the settings of the method.
  std::string name() const override { return program_->name() + " on " + devices(); }
  std::string devices() const override { return mesh_.text(); }
  std::vector<SharedKernel> on_fewer_devices() const override;
  Support supports(const Problem&) const override;
  Numerics numerics(const Problem&) const override;
  bool wants_mask_bytes(const Problem&) const override;
  std::vector<Adjustment> adjustments(const Problem&) const override;

  /// Of the rank that takes most, without what its local kernel takes.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;
  bool computes_gradients() const override { return local_->computes_gradients(); }
  index backward_bytes(const Problem&) const override;
  void backward(const Problem&, const BackwardArguments&, Device&) const override;
  bool gradients_repeat(const Problem& problem) const override { return local_->gradients_repeat(problem); }

  std::optional<std::uint64_t> fingerprint() const override { return local_->fingerprint(); }
  void restart() const override { local_->restart(); }

 private:
  /// The local problem of the rank that holds most.
  Problem largest_local(const Problem&) const;
  using Costs = RankCosts (RankProgram::*)(const CostedRank&) const;
  index most_bytes(const Problem&, Costs) const;
  /// KernelFault for a rank that sent or held anything else than the closed forms say; counts what it held.
  void hold_to(Costs, const MeshCall&, Device&) const;
  WorldSettings world(const Device&) const;

  std::shared_ptr<const RankProgram> program_;
  SharedKernel local_;
  Mesh mesh_;
  MeshEvents events_;
};

}  // namespace attestone
