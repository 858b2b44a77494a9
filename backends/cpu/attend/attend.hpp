// SPDX-License-Identifier: Apache-2.0
// Attention in its smallest useful step: a tile of queries takes in an interval of keys.
#pragma once

#include <optional>

#include "backends/cpu/attend/head.hpp"
#include "backends/cpu/attend/paired_scratch.hpp"
#include "backends/cpu/attend/state.hpp"
#include "backends/cpu/attend/tile_products.hpp"
#include "backends/cpu/parts/dropped_pairs.hpp"

namespace attestone::inline backends {

/// The sizes that fix the memory of a tile: the most queries that stay, the most keys that pass at a time, the problem,
/// and how products of bf16 are added up, if they are not products of floats.
struct AttendExtents {
  AttendExtents(const Problem& problem, index most_queries, index most_keys, std::optional<PairProducts> in_pairs = {})
      : queries(std::min(most_queries, problem.shape.queries)),
        keys(std::min(most_keys, problem.shape.keys)),
        dim(problem.shape.dim),
        value_dim(problem.shape.value_dim),
        biased_keys(problem.score.bias_tensor() ? keys : 0),
        float_keys(in_pairs ? 0 : keys),
        float_panels(in_pairs ? 1 : panels_of(queries)),
        maxima(problem.wanted(TensorName::max_logits)),
        pairs(in_pairs) {}

  index queries, keys, dim, value_dim;
  index biased_keys;               ///< 0 without a bias tensor
  index float_keys, float_panels;  ///< 0 keys and 1 panel if products are in pairs
  bool maxima;                     ///< whether somebody asks for the largest scores
  std::optional<PairProducts> pairs;
};

/// The keys of one step, as they lie in memory.
struct PassingKeys {
  Interval keys;
  FloatMatrixRows K, V;  ///< unless products are in pairs
  Bfloat16Rows codes;    ///< K, if they are
};

/// Rows that are fetched while those of a step are multiplied: the first ones beside K Q^T, the others beside V^T P.
struct Coming {
  ComingRows beside_scores, beside_weights;
};

/// One worker's buffers in addition to states: its queries, the keys that pass by, and their scores.
struct AttendScratch {
  AttendScratch(Device&, const AttendExtents&);
  /// 4 * (32 (float_panels dim + keys + 2 biased_keys + max(dim, value_dim)) + float_keys (dim + 2 value_dim) + keys)
  /// + PairedScratch::bytes.
  static index bytes(const AttendExtents&);

  Allocation<float> QT;       ///< [float_panels][dim][32]
  Allocation<float> K, V;     ///< [float_keys][dim], [float_keys][value_dim]: decoded, where they are not floats
  Allocation<float> S;        ///< [keys][32]: scores, then weights
  Allocation<QuerySet> seen;  ///< [keys]: which queries of the panel see the key
  Allocation<float> biases;   ///< [2][biased_keys][32]: as they are read, and transposed
  Allocation<float> rows;     ///< [32][max(dim, value_dim)]: queries before, and results after they are transposed
  Allocation<float> cleared;  ///< [float_keys][value_dim]: of V, where NaN or infinities hide behind the mask
  PairedScratch pairs;
  PassingKeys passing;
  Coming coming;      ///< a panel's share of what is needed after this step
  Coming afterwards;  ///< what is needed after the last step, if the caller knows
  Work work;          ///< what was done here and is not yet reported
};

/// The answers of a panel of queries.
struct PanelAnswer {
  const float* out;                   ///< O / l [value_dim][32]
  const float* log_sum_exp;           ///< [32]
  const float* max_logits = nullptr;  ///< [32], if somebody asks for them
};

/// T. Dao, "FlashAttention-2" (arXiv 2307.08691), Algorithm 1, in steps that others put together: a loop over all keys
/// is flash, states that are merged at the end are split, and so on. All that does not change during a call is resolved
/// once.
class Attend {
 public:
  Attend(const Problem&, const KernelInputs&, const AttendExtents&);

  /// Queries of a head become Q^T of the scratch: those that are real, with nothing in the place of padding.
  void load_queries(const AttendedHead&, Interval queries, AttendScratch&) const;
  /// The state takes in these keys, as many at a time as the extents say. The scratch must hold its queries.
  void take_in(const AttendedHead&, Interval keys, AttendState&, AttendScratch&) const;
  /// O / l, log_sum_exp and, if it is asked for, max_logits, rounded once to their formats: a query that saw no key, as
  /// padding, answers 0, and the log_sum_exp of its sink, -infinity without one.
  void store(const AttendedHead&, AttendState&, const Arguments& to, AttendScratch&) const;
  /// Stores the answers of one panel that is already divided.
  void store_panel(const AttendedHead&, Interval queries, const PanelAnswer&, const Arguments& to,
                   AttendScratch&) const;
  /// O, m and l as they are.
  void store_partial(const AttendedHead&, AttendState&, const PartialArguments& to, AttendScratch&) const;

 private:
  void load_keys(const AttendedHead&, Interval keys, AttendScratch&) const;
  Coming coming_keys(const AttendedHead&, Interval keys) const;
  void take_in(const AttendedHead&, index number, const AttendState::Panel&, AttendScratch&) const;
  void store_out(const AttendedHead&, Interval queries, const float* OT, const View& to, AttendScratch&) const;
  void store_numbers(const AttendedHead&, Interval queries, const float* numbers, const View& to, AttendScratch&) const;

  const KernelInputs& inputs_;
  AttendExtents extents_;
  DroppedPairs dropped_;
  std::unique_ptr<const TileProducts> products_;
};

}  // namespace attestone::inline backends
