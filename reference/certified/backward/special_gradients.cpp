// SPDX-License-Identifier: Apache-2.0
// The effect on gradients of rows that see NaN or infinities, in any admissible order of evaluation (docs/rules.md).
#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/certified/backward/gradient_pass.hpp"
#include "reference/certified/forward/possible_row.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

/// The share that a pair sends if it is hidden or its weight is 0: nothing if it is skipped, 0 * NaN if it is
/// multiplied through.
constexpr Possible nothing_or_nan = Possible::zero | Possible::nan;

/// The place of a row among the ascending ones of the truth, or -1.
index place_of(index row, const std::vector<index>& chosen) {
  const auto found = std::lower_bound(chosen.begin(), chosen.end(), row);
  return found != chosen.end() && *found == row ? found - chosen.begin() : -1;
}

Possible dropped(Possible factor) { return Possible::zero | Possible::zero * factor; }

/// The gradients of one row's scores.
class PossibleGradients {
 public:
  PossibleGradients(const Problem& problem, const Inputs& inputs, const Pair& at, const PossibleRow& row)
      : row_(row), dout_(static_cast<std::size_t>(problem.shape.value_dim)) {
    RowReader(inputs.dout->view()).read(at.batch, at.head, at.query, dout_);
    for (std::size_t i = 0; i < row.pairs().size(); ++i)
      products_.push_back(special_dot(dout_, row.values(i), 1, problem.output.smallest_normal()).possible());
    is_silent_ = true;
    for (index c = 0; c < problem.shape.value_dim; ++c) is_silent_ = is_silent_ && dout_value(c) == 0;
    delta_ = from_out(problem) | from_pairs();
    if (problem.score.softcap()) slope_ = Possible::zero | Possible::positive;
  }

  double dout_value(index channel) const { return dout_[static_cast<std::size_t>(channel)]; }

  /// dS of pair `i`, before the derivative of the softcap.
  Possible plain(std::size_t i) const { return sent(i, weight(i) * difference(i)); }
  /// dS times an element of K or of Q.
  Possible times(std::size_t i, double factor) const {
    const Possible slope = pair(i).flat ? Possible::zero : slope_;
    return sent(i, weight(i) * difference(i) * slope * Possible::of(factor));
  }
  /// P times dO.
  Possible value(std::size_t i, index channel) const {
    const Possible product = weight(i) * Possible::of(dout_value(channel));
    return sent(i, pair(i).kept ? product : dropped(weight(i)) | dropped(Possible::of(dout_value(channel))));
  }
  Possible sink() const {
    const Possible product = row_.sink_weight() * delta_;
    return row_.sink_may_be_skipped() || is_silent_ ? product | Possible::zero : product;
  }

 private:
  const PossiblePair& pair(std::size_t i) const { return row_.pairs()[i]; }
  Possible weight(std::size_t i) const { return pair(i).weight; }
  Possible product(std::size_t i) const { return pair(i).kept ? products_[i] : dropped(products_[i]); }
  Possible difference(std::size_t i) const { return product(i) - delta_; }
  /// A row whose dO is 0 throughout may be left out.
  Possible sent(std::size_t i, Possible contribution) const {
    return pair(i).may_be_skipped || is_silent_ ? contribution | Possible::zero : contribution;
  }

  /// sum_c dO_c O_c, with O as the forward pass may have answered.
  Possible from_out(const Problem& problem) const {
    Possible sum = Possible::zero;
    for (index c = 0; c < problem.shape.value_dim; ++c) {
      double peak = 0;
      for (std::size_t i = 0; i < products_.size(); ++i)
        if (const double v = std::abs(row_.value(i, c)); std::isfinite(v)) peak = std::max(peak, v);
      const bool may_overflow = 2 * peak / (1 - problem.dropout) > problem.output.largest();
      sum += Possible::of(dout_value(c)) * (may_overflow ? Possible::anything : row_.out(c));
    }
    return sum;
  }

  /// sum_j P_j dP_j.
  Possible from_pairs() const {
    Possible sum = Possible::zero;
    for (std::size_t i = 0; i < products_.size(); ++i) {
      const Possible all = pair(i).kept ? weight(i) * products_[i] : dropped(weight(i)) | dropped(products_[i]);
      sum += pair(i).may_be_skipped ? all | Possible::zero : all;
    }
    return sum;
  }

  const PossibleRow& row_;
  std::vector<double> dout_;
  std::vector<Possible> products_;  ///< dO.v of each pair
  Possible delta_, slope_ = Possible::positive;
  bool is_silent_ = false;
};

}  // namespace

/// The values that excluded rows may send to the rows of dK and of dV, [keys of the truth][channels].
struct GradientPass::Sent {
  Sent(std::size_t keys, const Shape& shape)
      : key(keys * static_cast<std::size_t>(shape.dim), Possible::zero),
        value(keys * static_cast<std::size_t>(shape.value_dim), Possible::zero) {}
  std::vector<Possible> key, value;
};

/// Marks one row of dQ, and adds to all else what the row may send there.
void GradientPass::send(index row, Sent& sent, BoundedTensor* bias, BoundedTensor* sinks) {
  const Pair at = rows_.pair(row);
  const PossibleRow scores(problem_, inputs_, rows_.biases(), at, rows_.visible(row), rows_.kept(row), rows_.sink(row));
  const PossibleGradients gradients(problem_, inputs_, at, scores);
  const auto certain = [&](Possible kinds) { return scores.in_range() ? kinds : Possible::anything; };
  std::vector<Possible> query(static_cast<std::size_t>(problem_.shape.dim), Possible::zero);
  std::size_t next = 0;                                    // of the visible pairs
  const index stored = inputs_.key.view().rows(at.batch);  // what lies behind a ragged sequence is not even hidden
  for (index key = 0; key < stored; ++key) {
    const bool seen = bit(rows_.visible(row), key);
    const std::size_t i = seen ? next++ : 0;
    for (index c = 0; c < problem_.shape.dim; ++c)
      query[static_cast<std::size_t>(c)] +=
          seen ? certain(gradients.times(i, inputs_.key.view().value(at.batch, kv_head_, key, c))) : nothing_or_nan;
    if (bias) bias->add(bias->place(rows_.pair(row, key)), seen ? certain(gradients.plain(i)) : nothing_or_nan);
    const index k = place_of(key, truth_.keys);
    if (k < 0) continue;
    for (index c = 0; c < problem_.shape.dim; ++c)
      sent.key[static_cast<std::size_t>(k * problem_.shape.dim + c)] +=
          seen ? certain(gradients.times(i, inputs_.query.view().value(at.batch, at.head, at.query, c)))
               : nothing_or_nan;
    for (index c = 0; c < problem_.shape.value_dim; ++c)
      sent.value[static_cast<std::size_t>(k * problem_.shape.value_dim + c)] +=
          seen ? certain(gradients.value(i, c)) : nothing_or_nan;
  }
  if (sinks) sinks->add(sinks->place(at), rows_.sink(row) ? certain(gradients.sink()) : nothing_or_nan);
  const index q = place_of(at.query, truth_.queries);
  for (index c = 0; c < problem_.shape.dim && q >= 0; ++c)
    mark(truth_.query.at(at.batch, at.head, q, c), query[static_cast<std::size_t>(c)]);
}

bool GradientPass::mark_specials(BoundedTensor* bias, BoundedTensor* sinks) {
  std::vector<index> excluded;
  for (index row = 0; row < rows_.count(); ++row)
    if (rows_.is_excluded(row)) excluded.push_back(row);
  if (excluded.empty()) return false;
  Sent sent(truth_.keys.size(), problem_.shape);
  for (const index row : excluded) send(row, sent, bias, sinks);
  const auto mark_all = [&](CertifiedTensor& tensor, const std::vector<Possible>& kinds) {
    const index channels = tensor.extents()[3], batch = rows_.pair(0).batch;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      mark(tensor.at(batch, kv_head_, static_cast<index>(i) / channels, static_cast<index>(i) % channels), kinds[i]);
  };
  mark_all(truth_.key, sent.key);
  mark_all(truth_.value, sent.value);
  return true;
}

}  // namespace attestone
