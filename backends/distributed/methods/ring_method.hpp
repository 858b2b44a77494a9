// SPDX-License-Identifier: Apache-2.0
// The common part of methods that deal rows to the places of a ring: settings, and the arithmetic of merging.
#pragma once

#include "backends/distributed/method/rank_program.hpp"
#include "backends/distributed/methods/ring.hpp"

namespace attestone::inline backends {

/// By what its settings say, of those below that it has; what it has not is as in a plain ring.
class RingMethod : public RankProgram {
 public:
  /// The settings of the registered entry of this name, whose axes these are.
  RingMethod(std::string_view entry, std::vector<std::string_view> axes, const Settings& settings)
      : settings_(settings), entry_(entry), axes_(std::move(axes)) {}

  std::string name() const override;
  std::vector<std::string_view> axes() const override { return axes_; }
  Dealing dealing() const override;
  index copies(const Shape&, index) const override { return 1; }
  Support supports(const Problem&, const Mesh&) const override;
  Numerics numerics(const Problem&, const Mesh&, Numerics local) const override;
  const DType& part_format(const Problem&, const Mesh&) const override;
  bool merges_partials(const Mesh&) const override;

  static Setting placement_setting();
  static Setting messages_setting();
  static Setting gradients_setting();
  /// How answers become one, and in which format they come.
  static std::vector<Setting> merge_settings();
  /// Where rows lie and how answers become one, for methods in which keys stay.
  static std::vector<Setting> answer_settings();
  /// All of these.
  static std::vector<Setting> ring_settings();
  /// The examples of a method with answer_settings(), and of one with ring_settings().
  static std::vector<std::string> answer_examples();
  static std::vector<std::string> ring_examples();

 protected:
  /// The value of a setting; empty if there is no such.
  std::string_view chosen(std::string_view setting) const;
  /// The integer of a setting; 1 if there is no such.
  index number(std::string_view setting) const;
  /// That the setting names: of the output, or f32.
  const DType& format(std::string_view setting, const Problem&) const;
  /// The ring that the settings describe, where each kv head has so many copies.
  virtual RingVariant variant(const Problem&, index copies = 1) const;
  RingVariant variant(const Rank& rank) const { return variant(rank.attention.whole(), rank.heads.copies()); }
  RingVariant variant(const CostedRank& rank) const { return variant(rank.problem, rank.heads.copies()); }

 private:
  /// True if parts are merged by their log_sum_exp.
  bool divides_parts() const;
  /// True if scores may refer to fixed maxima.
  bool fixes_maxima(const Problem&) const;
  void declare_stored_sums(const Problem&, const Mesh&, GradientStage&) const;

  Settings settings_;
  std::string_view entry_;
  std::vector<std::string_view> axes_;
};

}  // namespace attestone::inline backends
