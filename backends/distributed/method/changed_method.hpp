// SPDX-License-Identifier: Apache-2.0
// A distributed method with one thing changed.
#pragma once

#include <memory>
#include <string>

#include "backends/distributed/method/rank_program.hpp"

namespace attestone::inline backends {

/// Does as another method does, but for what is overridden.
class ChangedMethod : public RankProgram {
 public:
  explicit ChangedMethod(std::string_view right) : right_(make_rank_program(right)) {}

  std::string name() const override { return right_->name(); }
  std::vector<std::string_view> axes() const override { return right_->axes(); }
  Dealing dealing() const override { return right_->dealing(); }
  index copies(const Shape& shape, index members) const override { return right_->copies(shape, members); }
  Support supports(const Problem& p, const Mesh& mesh) const override { return right_->supports(p, mesh); }
  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    return right_->numerics(problem, mesh, local);
  }
  const DType& part_format(const Problem& p, const Mesh& mesh) const override { return right_->part_format(p, mesh); }
  index key_parts(const Mesh& mesh) const override { return right_->key_parts(mesh); }
  Seen most_seen(const Problem& p, const Mesh& mesh) const override { return right_->most_seen(p, mesh); }
  bool calls_whole_parts(const Problem& problem) const override { return right_->calls_whole_parts(problem); }
  bool merges_partials(const Mesh& mesh) const override { return right_->merges_partials(mesh); }

  Task<RankAnswer> forward(Rank& rank, RankInputs inputs) const override {
    return right_->forward(rank, std::move(inputs));
  }
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override {
    return right_->backward(rank, std::move(saved));
  }
  bool knows_costs() const override { return right_->knows_costs(); }
  RankCosts forward_costs(const CostedRank& rank) const override { return right_->forward_costs(rank); }
  RankCosts backward_costs(const CostedRank& rank) const override { return right_->backward_costs(rank); }

 protected:
  const RankProgram& right() const { return *right_; }

 private:
  std::shared_ptr<const RankProgram> right_;
};

}  // namespace attestone::inline backends
