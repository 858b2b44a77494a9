// SPDX-License-Identifier: Apache-2.0
// A distributed method on a mesh, with any kernel as the local attention of its ranks: all that does not depend on the
// world on which it runs.
#pragma once

#include "backends/distributed/mesh_kernel/mesh_shards.hpp"

namespace attestone::inline backends {

/// The refusals, declarations and costs of a method; worlds add how its ranks run.
class DistributedKernel : public Kernel {
 public:
  DistributedKernel(std::shared_ptr<const RankProgram> program, SharedKernel local, Mesh mesh)
      : program_(std::move(program)), local_(std::move(local)), mesh_(std::move(mesh)) {}

  /// "ring on ring:3", with the settings of the method.
  std::string name() const override { return program_->name() + " on " + devices(); }
  std::string devices() const override { return mesh_.text(); }
  Support supports(const Problem&) const override;
  Numerics numerics(const Problem&) const override;
  /// A device's treatment of NaN in hidden keys affects no more than the row.
  Conventions conventions() const override { return {.hidden_nonfinite = local_->conventions().hidden_nonfinite}; }
  bool wants_mask_bytes(const Problem&) const override;
  std::vector<Adjustment> adjustments(const Problem&) const override;

  /// The bytes of the rank that takes most, without its local kernel's.
  index forward_bytes(const Problem&) const override;
  bool computes_gradients() const override { return local_->computes_gradients(); }
  index backward_bytes(const Problem&) const override;
  bool gradients_repeat(const Problem& problem) const override { return local_->gradients_repeat(problem); }

  std::optional<std::uint64_t> fingerprint() const override { return local_->fingerprint(); }
  bool uses_attestone() const override { return local_->uses_attestone(); }
  void restart() const override { local_->restart(); }

 protected:
  const RankProgram& program() const { return *program_; }
  const std::shared_ptr<const RankProgram>& shared_program() const { return program_; }
  const SharedKernel& local() const { return local_; }
  const Mesh& mesh() const { return mesh_; }

  using Costs = RankCosts (RankProgram::*)(const CostedRank&) const;
  /// KernelFault for a rank that sent or held anything else than the closed forms say; counts what it held.
  void hold_to(Costs, const Problem&, const MeshShards&, const std::vector<DeviceUse>& of_ranks, Device&) const;

 private:
  /// Tells if the method takes the problem; not what else would.
  Support takes_itself(const Problem&) const;
  /// True if every device computes whole sequences, of some heads.
  bool deals_heads_alone() const { return mesh_.places() == 1 && program_->key_parts(mesh_) == 1; }
  /// Tells if the local kernel's codes can be declared; codes_of_parts then declares them.
  Support supports_codes(const Problem&, const Numerics& local) const;
  Numerics codes_of_parts(const Problem&, Numerics) const;
  /// The local problem of the rank that holds most.
  Problem largest_local(const Problem&) const;
  /// The largest local problem in whose pairs so much is seen.
  Problem largest_local(const Problem&, Seen) const;
  index most_bytes(const Problem&, Costs) const;

  std::shared_ptr<const RankProgram> program_;
  SharedKernel local_;
  Mesh mesh_;
};

}  // namespace attestone::inline backends
