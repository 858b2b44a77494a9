// SPDX-License-Identifier: Apache-2.0
// The backward pass in its smallest useful step: a panel of queries meets an interval of keys.
#pragma once

#include "backends/cpu/attend/attend.hpp"
#include "backends/cpu/parts/bias_gradient.hpp"

namespace attestone::inline backends {

/// One worker's buffers: the queries of a panel, the keys of a tile, their pairs, and the sums of both.
struct GradientScratch {
  GradientScratch(Device&, const Problem&, index most_keys);
  /// 4 (32 (pad(dim) + 2 dim + pad(value_dim) + value_dim + 3) + keys (dim + value_dim + pad(dim) + pad(value_dim) +
  /// 65)
  /// + max(32 max(pad(dim), pad(value_dim)), keys dim)), 128 keys more with a cap and 256 keys more with a bias tensor;
  /// pad(x) is x rounded up to a multiple of 32, and keys no more than the problem has.
  static index bytes(const Problem&, index most_keys);

  index dim_width, value_width;       ///< dim and value_dim, padded to multiples of 32
  FloatMatrixRows Q, dO;              ///< [queries][dim_width], [queries][value_width]
  Allocation<float> QT, dOT;          ///< [dim][32], [value_dim][32]
  Allocation<float> Q_copy, dO_copy;  ///< decoded or padded, where they do not lie so already
  Allocation<double> L;               ///< [32]: log_sum_exp in base 2
  Allocation<float> delta;            ///< [32]: sum of dO O
  Allocation<float> K, V;             ///< [keys][dim], [keys][value_dim]: decoded, where they are not floats already
  Allocation<float> S, dP;            ///< [keys][32]: scores, then P; dP, then dS
  Allocation<float> slopes;           ///< [keys][32] with a cap: its derivative
  Allocation<QuerySet> seen;          ///< [keys]: which queries of the panel see the key
  Allocation<float> biases;           ///< [2][keys][32] with a bias tensor: as they are read, and transposed
  Allocation<float> dQT, dK, dV;      ///< sums [dim][32], [keys][dim_width], [keys][value_width]
  Allocation<float> rows;  ///< rows of other tensors, or of what is finite in those that hold NaN or infinities
  Work work;               ///< what was done here and is not yet reported

 private:
  struct Counts;
  GradientScratch(Device&, const Counts&);
};

/// T. Dao, "FlashAttention-2" (arXiv 2307.08691), Algorithm 2, lines 10 to 16, in steps that others put together. P and
/// dS are computed anew, in the input format; sums are f32.
class AttendGradients {
 public:
  AttendGradients(const Problem&, const BackwardArguments&);

  /// Keys of one kv head, as they lie in memory.
  struct KeyTile {
    Interval keys;
    FloatMatrixRows K, V;
  };
  KeyTile load_keys(index batch, index kv_head, Interval keys, GradientScratch&) const;
  /// Real queries of one panel: Q, dO, L and delta; dQ = 0.
  void load_queries(const AttendedHead&, Interval queries, GradientScratch&) const;
  /// dK = dV = 0 for so many keys.
  void start_dkey_dvalue(index keys, GradientScratch&) const;

  /// P and dS of the panel and some keys of a tile, which must see each other; adds to the gradient of the bias, unless
  /// that is null.
  void differentiate(const AttendedHead&, Interval queries, const KeyTile&, Interval keys, BiasGradient*,
                     GradientScratch&) const;
  /// dQ += dS K.
  void add_to_dquery(Interval queries, const KeyTile&, Interval keys, GradientScratch&) const;
  /// dV += P^T dO and dK += dS^T Q, in the places of these keys in the tile.
  void add_to_dkey_dvalue(Interval queries, const KeyTile&, Interval keys, GradientScratch&) const;

  /// dQ, dK and dV as they are stored: what scale and dropout multiply is multiplied here.
  double dquery_factor() const { return problem_.scale(); }
  double dkey_factor() const { return problem_.scale(); }
  double dvalue_factor() const { return dropped_.factor(); }

 private:
  void load_deltas(const AttendedHead&, Interval queries, GradientScratch&) const;
  void add_to_dbias(const AttendedHead&, Interval queries, Interval keys, BiasGradient&, GradientScratch&) const;

  const Problem& problem_;
  const BackwardArguments& arguments_;
  index dim_, value_dim_;
  DroppedPairs dropped_;
  FloatRows query_, key_, value_, out_, dout_, log_sum_exp_;
  std::optional<FloatRows> delta_;  ///< as it was given
};

}  // namespace attestone::inline backends
