// SPDX-License-Identifier: Apache-2.0
// The definition of the backward pass in intervals, row by row, into the sums of open elements.
#include "reference/certified/backward/mpfr_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "reference/certified/backward/bounded_tensor.hpp"
#include "reference/certified/backward/gradient_rows.hpp"
#include "reference/certified/numbers/mpfr_enclosure.hpp"
#include "reference/certified/numbers/real_interval.hpp"

namespace attestone {
namespace {

constexpr mpfr_prec_t precisions[] = {128, 256, 512};

/// The largest exponent of a finite element; at least 0.
int largest_exponent(const ConstView& view) {
  double largest = 1;
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < std::min(rows, view.rows(b)); ++r)
        for (index c = 0; c < channels; ++c)
          if (const double x = std::fabs(view.value(b, h, r, c)); std::isfinite(x)) largest = std::max(largest, x);
  return std::ilogb(largest) + 1;
}

/// How many bits the size of the scores may take away. Only a guess is needed: intervals know what they have lost.
mpfr_prec_t bits_of_scores(const Problem& problem, const Inputs& inputs) {
  const int products = largest_exponent(inputs.query.view()) + largest_exponent(inputs.key.view());
  int logits = 0;
  for (const auto* tensor : {&inputs.bias, &inputs.sink})
    if (*tensor) logits = std::max(logits, largest_exponent((*tensor)->view()));
  return std::max({products + std::ilogb(problem.scale()) + 1, logits, 0});
}

/// The open elements of one tensor and their sums; null where nothing is open.
class OpenSums {
 public:
  OpenSums(CertifiedTensor* tensor, mpfr_prec_t precision) : tensor_(tensor) {
    if (!tensor) return;
    sums_.resize(static_cast<std::size_t>(element_count(tensor->extents())));
    for (std::size_t i = 0; i < sums_.size(); ++i)
      if (!element(i).decided) sums_[i] = std::make_unique<RealInterval>(precision, 0), ++open_;
  }

  bool any() const { return open_ > 0; }
  /// Axes of extent 1 are summed up.
  std::size_t place(index batch, index head, index row, index channel) const {
    return place_in(tensor_->extents(), {batch, head, row, channel});
  }
  RealInterval* at(std::size_t place) const { return sums_[place].get(); }
  /// Gives up an element that a NaN or an infinity reaches.
  void close(std::size_t place) {
    open_ -= sums_[place] != nullptr;
    sums_[place].reset();
  }

  /// Writes the sums * factor / divisor.
  void store(const RealInterval& factor, const RealInterval& divisor, const DType& dtype, Decisions& decisions) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (!sums_[i]) continue;
      const Certified found = certified((*sums_[i] * factor / divisor).ends(), dtype);
      if (!found.decided && !(found.bound < element(i).bound)) continue;
      const NonFinite beside = element(i).non_finite;
      element(i) = found;
      element(i).non_finite = beside;
      decisions.in_mpfr += found.decided;
      decisions.undecided -= found.decided;
    }
  }

 private:
  Certified& element(std::size_t i) { return tensor_->at(0, 0, 0, static_cast<index>(i)); }

  CertifiedTensor* tensor_;
  std::vector<std::unique_ptr<RealInterval>> sums_;
  index open_ = 0;
};

/// The pairs of one row: P, dS and dS (1 - tanh^2), all over 1 / (1 - rate).
struct MpfrGradientRow {
  std::vector<index> keys;
  std::vector<RealInterval> weight, bias_gradient, gradient;
  std::optional<RealInterval> sink_gradient;
};

/// All open elements at one precision.
class MpfrGradients {
 public:
  MpfrGradients(const Problem& problem, GradientTruth& truth, mpfr_prec_t precision)
      : problem_(problem),
        truth_(truth),
        precision_(precision),
        query_(&truth.query, precision),
        key_(&truth.key, precision),
        value_(&truth.value, precision),
        bias_(truth.bias ? &*truth.bias : nullptr, precision),
        sink_(truth.sink ? &*truth.sink : nullptr, precision) {}

  bool any() const { return query_.any() || key_.any() || value_.any() || bias_.any() || sink_.any(); }

  void add(GradientRows& rows, index kv_head) {
    for (index row = 0; row < rows.count(); ++row) {
      const bool special = sees_special(rows, row);
      if (!special && !is_needed(rows.pair(row))) continue;
      const MpfrGradientRow of = special ? seen_only(rows, row) : evaluate(rows, row);
      add_query(rows, row, of, special);
      add_keys(rows, row, kv_head, of, special);
      add_scores(rows, row, of, special);
    }
  }

  void store() {
    const RealInterval scale(precision_, problem_.scale()), one(precision_, 1);
    const RealInterval kept_share = one - RealInterval(precision_, problem_.dropout);
    for (OpenSums* scaled : {&query_, &key_}) scaled->store(scale, kept_share, problem_.output, truth_.decisions);
    for (OpenSums* plain : {&value_, &bias_, &sink_}) plain->store(one, kept_share, problem_.output, truth_.decisions);
  }

 private:
  RealInterval number(double x) const { return RealInterval(precision_, x); }

  static bool sees_special(const GradientRows& rows, index row) {
    bool special = rows.sees_special(row);
    for_each_key(rows.visible(row), [&](index key) { special = special || !std::isfinite(rows.bias(row, key)); });
    return special;
  }

  std::optional<index> row_of_truth(const Pair& at) const {
    const auto found = std::lower_bound(truth_.queries.begin(), truth_.queries.end(), at.query);
    if (found == truth_.queries.end() || *found != at.query) return std::nullopt;
    return found - truth_.queries.begin();
  }

  bool is_needed(const Pair& at) const {
    if (key_.any() || value_.any() || bias_.any() || sink_.any()) return true;
    const auto row = row_of_truth(at);
    for (index c = 0; row && c < problem_.shape.dim; ++c)
      if (query_.at(query_.place(at.batch, at.head, *row, c))) return true;
    return false;
  }

  static MpfrGradientRow seen_only(const GradientRows& rows, index row) {
    MpfrGradientRow of;
    for_each_key(rows.visible(row), [&](index key) { of.keys.push_back(key); });
    return of;
  }

  RealInterval dot(std::span<const double> a, std::span<const double> b) const {
    RealInterval sum = number(0);
    for (std::size_t c = 0; c < a.size(); ++c) sum += number(a[c]) * number(b[c]);
    return sum;
  }

  MpfrGradientRow evaluate(const GradientRows& rows, index row) const;

  void add_query(const GradientRows& rows, index row, const MpfrGradientRow& of, bool special) {
    const Pair at = rows.pair(row);
    const auto chosen = row_of_truth(at);
    for (index c = 0; chosen && c < problem_.shape.dim && !of.keys.empty(); ++c) {
      const std::size_t place = query_.place(at.batch, at.head, *chosen, c);
      if (special) query_.close(place);
      RealInterval* sum = query_.at(place);
      for (std::size_t i = 0; sum && i < of.keys.size(); ++i)
        *sum += of.gradient[i] * number(*rows.key.at(of.keys[i], c));
    }
  }

  void add_keys(const GradientRows& rows, index row, index kv_head, const MpfrGradientRow& of, bool special) {
    const index batch = rows.pair(row).batch;
    for (std::size_t i = 0; i < of.keys.size(); ++i) {
      const auto chosen = std::lower_bound(truth_.keys.begin(), truth_.keys.end(), of.keys[i]);
      if (chosen == truth_.keys.end() || *chosen != of.keys[i]) continue;
      const auto add = [&](OpenSums& to, const DecodedRows& like, const std::vector<RealInterval>& factors) {
        for (index c = 0; c < like.columns; ++c) {
          const std::size_t place = to.place(batch, kv_head, chosen - truth_.keys.begin(), c);
          if (special) to.close(place);
          if (RealInterval* sum = to.at(place)) *sum += factors[i] * number(*like.at(row, c));
        }
      };
      add(key_, rows.query, of.gradient);
      add(value_, rows.dout, of.weight);
    }
  }

  void add_scores(const GradientRows& rows, index row, const MpfrGradientRow& of, bool special) {
    for (std::size_t i = 0; bias_.any() && i < of.keys.size(); ++i) {
      const Pair at = rows.pair(row, of.keys[i]);
      const std::size_t place = bias_.place(at.batch, at.head, at.query, at.key);
      if (special) bias_.close(place);
      if (RealInterval* sum = bias_.at(place)) *sum += of.bias_gradient[i];
    }
    if (!sink_.any()) return;
    const std::size_t place = sink_.place(0, rows.pair(row).head, 0, 0);
    if (special) sink_.close(place);
    if (RealInterval* sum = sink_.at(place); sum && of.sink_gradient) *sum += *of.sink_gradient;
  }

  const Problem& problem_;
  GradientTruth& truth_;
  mpfr_prec_t precision_;
  OpenSums query_, key_, value_, bias_, sink_;
};

MpfrGradientRow MpfrGradients::evaluate(const GradientRows& rows, index row) const {
  MpfrGradientRow of = seen_only(rows, row);
  if (of.keys.empty()) return of;
  std::vector<RealInterval> products;
  std::vector<RealInterval> slopes(of.keys.size(), number(1));
  RealInterval total = number(0), delta = number(0);
  const std::optional<double> sink = rows.sink(row);
  std::optional<Number> top;  // whatever is taken from all scores, as long as the largest remain
  if (sink) top.emplace(precision_, *sink);
  for (std::size_t i = 0; i < of.keys.size(); ++i) {
    RealInterval score = dot(rows.query.row(row), rows.key.row(of.keys[i])) * number(problem_.scale());
    if (const auto cap = problem_.score.softcap()) {
      const RealInterval z = score / number(*cap), w = exp(number(-2) * magnitude(z)), sum = number(1) + w;
      slopes[i] = number(4) * w / (sum * sum);
      score = number(*cap) * tanh(z);
    }
    of.weight.push_back(score + number(rows.bias(row, of.keys[i])));
    const Number& lowest = of.weight.back().ends().lowest;
    if (!top || mpfr_greater_p(lowest, *top)) top = lowest;
    products.push_back(dot(rows.dout.row(row), rows.value.row(of.keys[i])));
  }
  for (RealInterval& weight : of.weight) total += weight = exp(weight - RealInterval(*top));
  const RealInterval sink_weight = sink ? exp(number(*sink) - RealInterval(*top)) : number(0);
  total += sink_weight;
  for (std::size_t i = 0; i < of.keys.size(); ++i) {
    of.weight[i] /= total;
    if (!bit(rows.kept(row), of.keys[i])) products[i] = number(0);
    delta += of.weight[i] * products[i];
  }
  for (std::size_t i = 0; i < of.keys.size(); ++i) {
    of.bias_gradient.push_back(of.weight[i] * (products[i] - delta));
    of.gradient.push_back(of.bias_gradient[i] * slopes[i]);
    if (!bit(rows.kept(row), of.keys[i])) of.weight[i] = number(0);
  }
  of.sink_gradient = number(0) - sink_weight / total * delta;
  return of;
}

}  // namespace

void decide_gradients_in_mpfr(const Problem& problem, const Inputs& inputs, std::span<const index> queries,
                              GradientTruth& truth) {
  const mpfr_prec_t more = bits_of_scores(problem, inputs);
  for (const mpfr_prec_t precision : precisions) {
    MpfrGradients gradients(problem, truth, precision + more);
    if (!gradients.any()) return;
    for (index batch = 0; batch < problem.shape.batch; ++batch) {
      const Visibility visibility(problem, inputs, batch, queries);
      for (index kv_head = 0; kv_head < problem.shape.kv_heads; ++kv_head) {
        GradientRows rows(problem, inputs, batch, kv_head, visibility, queries);
        for (index word = 0; word < rows.words(); ++word) rows.decode_keys(word);
        for (index row_word = 0; row_word < rows.row_words(); ++row_word) rows.decode_rows(row_word);
        gradients.add(rows, kv_head);
      }
    }
    gradients.store();
  }
}

}  // namespace attestone
