// SPDX-License-Identifier: Apache-2.0
// One row of a kernel whose roundings err by as much as is declared: its answer, and the weights that it works out
// again.
#pragma once

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"
#include "reference/call/tensors.hpp"
#include "reference/numerics/numerics.hpp"
#include "tests/reference/error_bound/gradient/roundings.hpp"

namespace attestone::emulation {

/// How a backward pass does what may be done in several ways.
struct Form {
  bool delta_from_rows = false;         ///< delta = sum P dP over the keys, in a pass of its own; else sum dO O
  bool scales_score_gradients = false;  ///< before the cast; else the sums are scaled
  bool softmax_again = false;           ///< weights are divided by a denominator; else taken from log_sum_exp
  bool log2_e_first = false;            ///< score and log_sum_exp are multiplied by log2 e; else their difference
  bool dropout_of_delta = false;        ///< delta is multiplied by 1 - rate, and dP not by 1 / (1 - rate)
  bool heads_apart = false;             ///< what several heads or rows share is rounded before it is added
};

/// The stored results of a forward pass.
struct StoredRow {
  std::vector<Extended> out;
  Extended log_sum_exp = 0;
};

/// The scale times an element of Q, which a kernel may round before the product with K.
Extended scaled_query(const Problem&, const Numerics&, Roundings&, Extended q);

/// A row's numbers, as long as one pass over it lasts.
class ErringRow {
 public:
  ErringRow(const Problem&, const Inputs&, const Numerics&, const Form&, Roundings&, index head, index query);

  const std::vector<index>& keys() const { return keys_; }
  bool has_sink() const { return sink_.has_value(); }
  StoredRow forward();
  /// P of each key, and then of the sink.
  std::vector<Extended> weights(const StoredRow&);
  /// The derivative of the softcap, (1 - t)(1 + t); 1 without one.
  Extended derivative(std::size_t key);
  /// <dO, z v> of each key, with or without the factor of dropout.
  std::vector<Extended> projected_values(bool with_factor);
  /// 1 / (1 - rate), or 1.
  Extended dropout_factor(const Accumulator&);
  bool keeps(std::size_t key) const;

 private:
  struct Exponentials {
    std::vector<Extended> each = {}, cast = {};
    Extended maximum = 0, sum = 0;
  };
  std::vector<Extended> row(const Tensor&, index head, index row) const;
  void find_scores(const Bias&);
  Extended exponential(Extended x);
  Exponentials exponentials();
  Extended divided(Extended weight, Extended sum);

  const Problem& problem_;
  const Inputs& inputs_;
  const Numerics& numerics_;
  const Form& form_;
  Roundings& round_;
  index head_, query_, kv_head_;
  Dropout dropout_;
  std::vector<index> keys_;
  std::vector<Extended> scores_, tanh_;
  std::optional<Extended> sink_;
};

}  // namespace attestone::emulation
