// SPDX-License-Identifier: Apache-2.0
// The common part of ring, Ulysses and their product, as the catalogue sees them.
#pragma once

#include "backends/distributed/methods/ring_method.hpp"
#include "backends/distributed/methods/ulysses.hpp"

namespace attestone::inline backends {

/// A method in which queries stay with a ring of keys, inside groups that exchange rows for heads.
class ContextParallel : public RingMethod {
 public:
  using RingMethod::RingMethod;

  index copies(const Shape&, index members) const override;
  Support supports(const Problem&, const Mesh&) const override;
  std::vector<OtherMethod> instead(const Problem&, const Mesh&) const override;
  Numerics numerics(const Problem&, const Mesh&, Numerics local) const override;
  Seen most_seen(const Problem&, const Mesh&) const override;
  bool calls_whole_parts(const Problem&) const override;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;

  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;

  static std::vector<Setting> ring_settings();
  static std::vector<Setting> ulysses_settings();
  /// The settings of ulysses, and those of the ring.
  static std::vector<Setting> all_settings();
  /// The examples of a method with each of these settings; all_examples() also joins settings of both halves.
  static std::vector<std::string> ring_examples();
  static std::vector<std::string> ulysses_examples();
  static std::vector<std::string> all_examples();

 protected:
  using RingMethod::variant;
  RingVariant variant(const Problem&, index copies) const override;

 private:
  /// True if K and V go round in a narrower format than theirs.
  bool sends_codes() const;
};

}  // namespace attestone::inline backends
