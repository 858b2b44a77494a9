// SPDX-License-Identifier: Apache-2.0
// The answer over a part of the keys, and how two such answers become one.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "reference/shape.hpp"

namespace attestone {

/// @page partial Partial answers
///
/// Let a query see a set of keys A, with scores s and values v. All that attention needs to know about A is the triple
/// \f[ m = \max_A s, \qquad \ell = \sum_A e^{s - m}, \qquad a = \sum_A e^{s - m}\, v , \f]
/// for the answer is \f$ o = a / \ell \f$ and \f$ L = m + \ln \ell \f$. For disjoint sets A and B
/// \f[
///   m = \max(m_A, m_B), \qquad \ell = e^{m_A - m}\, \ell_A + e^{m_B - m}\, \ell_B, \qquad
///   a = e^{m_A - m}\, a_A + e^{m_B - m}\, a_B .
/// \f]
/// This merge is associative and commutative over the real numbers, and the empty set, m = -infinity and l = a = 0, is
/// neutral: partial answers are a commutative monoid. That one fact is online softmax (B is a single key), flash
/// attention (B is a tile), split-KV decoding (a tree of merges) and ring attention (B arrives from a neighbour):
/// Milakov & Gimelshein, arXiv 1805.02867; Rabe & Staats, arXiv 2112.05682.
///
/// Neither sinks nor dropout change the monoid. A sink of logit z is an element of it, m = z, l = 1, a = 0, and enters
/// a row exactly once. Dropout multiplies the v of a key before it enters a, and leaves m and l alone.

/// A query's knowledge of the keys seen so far, as (m, l, a). Empty parts are exact: merging with one changes
/// no bit, and -infinity is never subtracted from -infinity. A key whose score is -infinity is as good as absent.
class Partial {
 public:
  /// The empty part: no key yet; `value_dim` channels.
  explicit Partial(index value_dim) : a_(static_cast<std::size_t>(value_dim), 0.0) {}

  /// The part of one key: m = s, l = 1, a = v, times what dropout multiplies its weight by; at 0, v does not matter.
  static Partial of_key(double score, std::span<const double> value, double dropout = 1);
  /// The part of a sink, which has no value: m = the logit, l = 1, a = 0.
  static Partial of_sink(double logit, index value_dim) {
    return Partial(logit, std::vector<double>(static_cast<std::size_t>(value_dim)));
  }
  /// The part whose answer is known: m = L, l = 1, a = o. This is what splits and devices send each other.
  static Partial of_answer(double log_sum_exp, std::span<const double> out) { return Partial(log_sum_exp, out); }

  /// True if there is neither a key nor a sink.
  bool empty() const { return m_ == nothing; }
  /// Takes in the part of other keys.
  void merge(const Partial& other);

  double log_sum_exp() const { return empty() ? nothing : m_ + std::log(l_); }
  /// o = a / l; zeros if empty.
  std::vector<double> out() const;

 private:
  Partial(double m, std::span<const double> a) : Partial(static_cast<index>(a.size())) {
    if (m == nothing) return;
    m_ = m;
    l_ = 1;
    a_.assign(a.begin(), a.end());
  }

  static constexpr double nothing = -std::numeric_limits<double>::infinity();

  double m_ = nothing, l_ = 0;
  std::vector<double> a_;
};

inline Partial Partial::of_key(double score, std::span<const double> value, double dropout) {
  if (dropout == 0) return of_sink(score, std::ssize(value));  // it takes its share of the weight and gives nothing
  Partial part(score, value);
  for (double& channel : part.a_) channel *= dropout;
  return part;
}

inline void Partial::merge(const Partial& other) {
  if (other.empty()) return;
  if (empty()) {
    *this = other;
    return;
  }
  const double m = std::max(m_, other.m_);
  const double mine = std::exp(m_ - m), theirs = std::exp(other.m_ - m);  // one of them is exactly 1
  m_ = m;
  l_ = mine * l_ + theirs * other.l_;
  for (std::size_t c = 0; c < a_.size(); ++c) a_[c] = mine * a_[c] + theirs * other.a_[c];
}

inline std::vector<double> Partial::out() const {
  std::vector<double> o = a_;
  if (!empty())
    for (double& channel : o) channel /= l_;
  return o;
}

/// The part of the keys of both.
inline Partial merged(Partial left, const Partial& right) {
  left.merge(right);
  return left;
}

}  // namespace attestone
