// SPDX-License-Identifier: Apache-2.0
// A distributed method with one thing changed, on two simulated devices.
#pragma once

#include <memory>
#include <string>

#include "backends/distributed/rank_program.hpp"
#include "backends/kernel.hpp"

namespace attestone {

/// Does as another method does. A mutant overrides one thing.
class ChangedMethod : public RankProgram {
 public:
  explicit ChangedMethod(std::string_view right) : right_(make_rank_program(right)) {}

  std::string name() const override { return right_->name(); }
  std::vector<std::string_view> axes() const override { return right_->axes(); }
  Dealing dealing() const override { return right_->dealing(); }
  index copies(const Shape& shape, index members) const override { return right_->copies(shape, members); }
  Support supports(const Problem& p, const Mesh& mesh) const override { return right_->supports(p, mesh); }
  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    return right_->numerics(problem, mesh, std::move(local));
  }
  const DType& part_format(const Problem& p, const Mesh& mesh) const override { return right_->part_format(p, mesh); }

  bool merges_partials(const Mesh& mesh) const override { return right_->merges_partials(mesh); }

  Task<RankAnswer> forward(Rank& rank, RankInputs inputs) const override {
    return right_->forward(rank, std::move(inputs));
  }
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override {
    return right_->backward(rank, std::move(saved));
  }
  RankCosts forward_costs(const CostedRank& rank) const override { return right_->forward_costs(rank); }
  RankCosts backward_costs(const CostedRank& rank) const override { return right_->backward_costs(rank); }

 protected:
  const RankProgram& right() const { return *right_; }

 private:
  std::shared_ptr<const RankProgram> right_;
};

/// Computes as one method does and is held to the costs of another.
class CostedAs : public ChangedMethod {
 public:
  CostedAs(std::string_view computed, std::string_view documented)
      : ChangedMethod(computed), documented_(make_rank_program(documented)) {}

  RankCosts forward_costs(const CostedRank& rank) const override { return documented_->forward_costs(rank); }
  RankCosts backward_costs(const CostedRank& rank) const override { return documented_->backward_costs(rank); }

 private:
  std::shared_ptr<const RankProgram> documented_;
};

/// The method on a ring of two devices, with flash on each, under the name of the mutant.
SharedKernel mesh_mutant(const std::string& name, std::shared_ptr<const RankProgram>);
/// The ring, faultless.
SharedKernel mesh_twin();

}  // namespace attestone
