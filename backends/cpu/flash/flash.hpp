// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2 on the CPU: exact attention in tiles, without ever holding the score matrix.
#pragma once

#include "backends/cpu/attend/attend.hpp"
#include "backends/cpu/attend/backward_passes.hpp"
#include "backends/cpu/attend/tiled_kernel.hpp"
#include "backends/cpu/dense/dense.hpp"
#include "backends/cpu/flash/blocks.hpp"

namespace attestone::inline backends {

/// T. Dao, "FlashAttention-2" (arXiv 2307.08691), Algorithms 1 and 2, for f32, f16 and bf16.
///
/// A tile of block_q queries stays while K and V pass by in tiles of block_kv keys, which are worked on in steps of
/// block_kv_compute keys. Everything is f32, but the weights P and the score gradients dS, which are rounded to the
/// input format before they are multiplied, and the results. Products of bf16 are added up in pairs in the forward
/// pass, if the setting `products` says so. One thread works on one tile at a time; the results do not depend on how
/// many threads there are, but for dQ with deterministic=0.
class Flash final : public TiledKernel {
 public:
  explicit Flash(const Settings&);

  bool wants_mask_bytes(const Problem&) const override;
  std::vector<Adjustment> adjustments(const Problem&) const override;
  /// Not with deterministic=0, unless dense computes the answer.
  bool gradients_repeat(const Problem&) const override;
  Numerics numerics(const Problem&) const override;
  /// workers * (AttendScratch::bytes + AttendState::bytes), and FixedMaxima::bytes if maxima are, with the blocks that
  /// suit the problem, and workers =
  /// min(the setting, batch * heads * ceil(queries / block_q),
  /// 1 + floor(batch * heads * queries * keys * (dim + value_dim) / 2^18)).
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;
  bool computes_max_logits() const override { return true; }
  bool computes_partials() const override { return setting("flash_min_seq_length") == 0; }
  void forward_partials(const Problem&, const PartialArguments&, Device&) const override;
  /// The memory of KeyPass; unfused, the larger one of KeyPass's and QueryPass's.
  index backward_bytes(const Problem&) const override;
  void backward(const Problem&, const BackwardArguments&, Device&) const override;

 private:
  bool falls_back(const Problem&) const;
  FlashPasses passes(const Problem&) const;
  /// The passes suited to the problem; `changes` lists what was adjusted of the choices asked for.
  FlashPasses suited(const Problem&, std::vector<Adjustment>& changes) const;
  DQuery dquery() const;
  std::optional<PairProducts> products(const Problem&) const;
  AttendExtents forward_extents(const Problem&) const;
  index query_tiles(const Problem&) const;
  index workers(const Problem&) const;
  Numerics tiled_numerics(const Problem&) const;
  bool fixes_maxima(const Problem&) const;
  /// True if longer or shorter calls with these sequences have the same steps.
  bool keeps_blocks(const Problem&) const;
  /// Every tile of queries takes in all keys, after begin(head, state); then store(attend, head, state, scratch). Of
  /// arguments for whole answers, or for partial ones.
  template <class AnyArguments, class Begin, class Store>
  void attend_all(const Problem&, const AnyArguments&, Device&, Begin begin, Store store) const;

  FlashPasses asked_;
  Dense dense_;  ///< for problems shorter than flash_min_seq_length
};

}  // namespace attestone::inline backends
