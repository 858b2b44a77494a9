// SPDX-License-Identifier: Apache-2.0
// What ring, Ulysses and their product have in common as the catalogue sees them.
#pragma once

#include "backends/distributed/rank_program.hpp"
#include "backends/distributed/ulysses.hpp"

namespace attestone {

/// A method in which queries stay with a ring of keys, inside groups that exchange rows for heads.
class ContextParallel : public RankProgram {
 public:
  /// The settings of the registered entry of this name, whose axes these are.
  ContextParallel(std::string_view entry, std::vector<std::string_view> axes, const Settings& settings)
      : settings_(settings), entry_(entry), axes_(std::move(axes)) {}

  std::string name() const override;
  std::vector<std::string_view> axes() const override { return axes_; }
  Dealing dealing() const override;
  index copies(const Shape&, index members) const override;
  Support supports(const Problem&, const Mesh&) const override;
  Numerics numerics(const Problem&, const Mesh&, Numerics local) const override;
  const DType& part_format(const Problem&, const Mesh&) const override;
  bool merges_partials(const Mesh&) const override;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;

  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;

  static std::vector<Setting> ring_settings();
  static std::vector<Setting> ulysses_settings();
  /// Those of ulysses, and those of the ring.
  static std::vector<Setting> all_settings();

 protected:
  /// What the settings make of the ring.
  RingVariant variant(const Rank&) const;

 private:
  bool has(std::string_view axis) const;
  RingVariant variant(const Problem&, index copies) const;
  void declare_parts(const Problem&, const Mesh&, GradientStage&) const;

  Settings settings_;
  std::string_view entry_;
  std::vector<std::string_view> axes_;
};

}  // namespace attestone
