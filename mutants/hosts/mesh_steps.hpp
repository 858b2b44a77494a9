// SPDX-License-Identifier: Apache-2.0
// Ring, Ulysses and their product once more, with every step open to change.
#pragma once

#include <utility>

#include "backends/distributed/methods/context_parallel.hpp"
#include "mutants/hosts/mesh.hpp"

namespace attestone::inline mutants {

/// K and V of one place of the ring, or their gradients.
struct KeysAndValues {
  KeysAndValues(const Rank&, std::string_view name, const DType& of_key, const DType& of_value, index rows, HeldHeads);
  KeysAndValues(Buffer k, Buffer v) : key(std::move(k)), value(std::move(v)) {}

  void release() {
    key.release();
    value.release();
  }

  Buffer key, value;
};

/// A step of the ring, of either pass.
struct RingStep {
  Rank& rank;
  const RingVariant& variant;
  const LocalQueries& queries;
  const HeldRows& keys;
  index number;
  bool backward;

  const Problem& whole() const { return rank.attention.whole(); }
  index places() const { return rank.ring.size(); }
  /// Where its keys come from.
  index source() const { return rank.ring.beside(-number); }
};
using Blocks = std::vector<SequenceBlock>;
using Requests = std::vector<Request>;
using Views = std::vector<View>;

/// The blocks of a step that are left if only some queries see only some keys: of each sequence those from a first
/// query on, and a number of keys.
Blocks blocks_of_some(const RingStep&, const std::vector<index>& first_query, const std::vector<index>& keys);
/// Sends `out` to the next place of the group, and receives `in` from the one before.
Requests hop(const RingStep&, const Group&, const KeysAndValues& out, const KeysAndValues& in);
/// x = round(x), each.
void round_through(const DType&, const View&);

/// One exchange of a tensor: what every member holds of its rows before, and of its heads after.
struct Exchange {
  const Shards& shards;
  const Rank& rank;
  bool of_keys;
  std::string_view name;  ///< of the tensor that arrives

  bool copied() const { return of_keys && rank.heads.copies() > 1; }
  Interval heads_of(index place) const { return of_keys ? rank.heads.of(place).kv : rank.heads.of(place).query; }
  const HeldRows& rows_of(index place) const { return shards.of(rank.ring.place, place); }
  const HeldRows& all_rows() const { return shards.of_ring(rank.ring.place); }
};

/// Does what the published method does, step by step, with merge=sigmoid. A mutant overrides one step.
class MeshSteps : public ContextParallel {
 public:
  /// "ring:placement=zigzag"
  explicit MeshSteps(std::string_view method);

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;

 protected:
  // The exchange.
  virtual bool value_first(const Rank&) const { return false; }
  virtual index row_offset(const Exchange&, index sequence, index place) const;
  virtual Views all_views(const Exchange&, const Buffer& all, index place) const;
  virtual Views own_views(const Exchange&, const Buffer& own, index place) const;
  virtual index kv_head(const Rank& rank, index copy) const { return rank.heads.kv_head(copy); }
  virtual double share_of_copies(const Rank&) const { return 1; }

  // Both passes of the ring.
  virtual index steps(const Rank& rank) const { return rank.ring.size(); }
  virtual HeldHeads head_numbers(const Rank& rank) const { return rank.held_heads(); }
  virtual HeldRows row_numbers(const Rank&, const Shards& shards, index place, bool /*backward*/) const {
    return shards.of_ring(place);
  }
  virtual Blocks blocks(const RingStep& step) const { return step.rank.attention.blocks(step.queries, step.keys); }
  /// Messages under way while the step computes.
  virtual Task<Requests> hop_of_keys(const RingStep&, const KeysAndValues& out, const KeysAndValues& in) const;
  virtual KeysAndValues next_keys(const RingStep&, KeysAndValues current, KeysAndValues next) const;

  // The forward pass.
  virtual void before_merge(const RingStep&, const Blocks&, Buffer& /*out*/, Buffer& /*log_sum_exp*/) const {}
  virtual double merged_log_sum_exp(const RingStep&, double before, double of_part) const;
  virtual void answered(const Rank&, RankAnswer&) const {}

  // The backward pass.
  virtual Buffer delta(Rank&, const LocalQueries&, const RankSaved&) const;
  virtual std::optional<View> dbias(const RingStep& step) const { return step.rank.shared.dbias; }
  virtual bool adds_first() const { return false; }
  virtual Requests hop_of_sums(const RingStep&, const Blocks&, const KeysAndValues& out, const KeysAndValues& in) const;
  virtual void before_rounding(const Rank&, Buffer& /*dquery*/) const {}

 private:
  class Exchanges;
  struct Parsed;

  explicit MeshSteps(const Parsed&);
  Task<RankAnswer> ring_forward(Rank&, RankInputs) const;
  Task<RankGradients> ring_backward(Rank&, RankSaved) const;
  void merge(const RingStep&, const Blocks&, Buffer& part, Buffer& log_sum_exp, const RankAnswer& sums) const;
  Buffer sum_of_copies(Rank&, const char* name, Buffer copies) const;
};

/// `Steps` is MeshSteps with one step overridden.
template <class Steps>
SharedKernel mesh_mutant(const std::string& name, const OnMesh& right) {
  return mesh_mutant(name, std::make_shared<const Steps>(right.method), right.mesh);
}

}  // namespace attestone::inline mutants
