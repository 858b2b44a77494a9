// SPDX-License-Identifier: Apache-2.0
// The inputs of a problem as doubles, laid out for a walk along one row.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"
#include "reference/quantization/operand_slack.hpp"
#include "reference/tensor/floating_point_environment.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {

/// Every supported format fits into a double, so nothing is lost. Padding and masked keys are decoded too, and whoever
/// reads must leave them out.
class DecodedInputs {
 public:
  /// The slack must outlive them.
  DecodedInputs(const Problem&, const Inputs&, const OperandSlack& = {});

  const Problem& problem() const { return problem_; }
  const Bias& bias() const { return bias_; }
  /// The keys that this row sees, ascending.
  std::vector<index> visible_keys(index batch, index head, index query) const;

  /// The logit of the head's sink; nothing without one, or if it is -infinity and takes no mass.
  std::optional<double> sink(index head) const;

  std::vector<double> query(index batch, index head, index query) const;
  /// The gradient of O, of a problem with a backward pass.
  std::vector<double> dout(index batch, index head, index query) const;
  /// Channel `channel` of all keys, as query head `head` reads them: problem().shape.keys numbers.
  const double* key_channel(index batch, index head, index channel) const;
  /// sum_c |k_jc| of all keys j.
  const double* key_norms(index batch, index head) const;
  /// max_c |k_jc| of all keys j; infinite if an element is not finite.
  const double* largest_in_keys(index batch, index head) const;
  /// |q' k' - q k|, at most, of a row and a key that a kernel reads as q' and k'.
  double score_slack(const Pair&, std::span<const double> query) const;
  /// |v' - v|, at most, of the value_dim numbers of a key that a kernel reads as v'; null: they are those.
  const double* value_slack(index batch, index head, index key) const;
  /// The largest finite ||k_j|| of all keys of all sequences that query head `head` may read.
  double largest_key_norm(index head) const;
  /// The value_dim numbers of one key.
  const double* value(index batch, index head, index key) const;
  /// value_dim zeros.
  const double* no_value() const { return zeros_.data(); }
  /// Which pairs dropout keeps.
  const Dropout& dropout() const { return dropout_; }
  /// The largest finite |v| of all, and |v'|.
  double largest_value() const { return largest_value_; }
  /// The largest finite |v' - v| of all.
  double largest_value_slack() const { return largest_value_slack_; }

 private:
  std::size_t kv(index batch, index head) const;

  Problem problem_;
  Bias bias_;
  Dropout dropout_;
  RowReader query_;
  std::optional<RowReader> dout_;
  std::optional<ConstView> sink_;
  OperandSlack slack_;
  std::vector<double> keys_;               ///< [batch, kv_heads, dim, keys]
  std::vector<double> norms_;              ///< [batch, kv_heads, keys]
  std::vector<double> largest_in_keys_;    ///< [batch, kv_heads, keys]
  std::vector<double> largest_key_norms_;  ///< [kv_heads]
  std::vector<double> values_;             ///< [batch, kv_heads, keys, value_dim]
  std::vector<double> zeros_;              ///< [value_dim]
  double largest_value_ = 0, largest_value_slack_ = 0;
};

}  // namespace attestone
