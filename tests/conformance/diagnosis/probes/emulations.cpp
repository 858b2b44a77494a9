// SPDX-License-Identifier: Apache-2.0
// Attention in plain loops, with hooks.
#include "tests/conformance/diagnosis/probes/emulations.hpp"

#include <cmath>
#include <limits>

#include "reference/call/bias.hpp"

namespace attestone {
namespace {

/// A kernel that only runs, and declares what its formats' default class does.
class Run final : public Kernel {
 public:
  Run(std::string name, std::function<void(const Problem&, const Arguments&)> run)
      : name_(std::move(name)), run_(std::move(run)) {}

  std::string name() const override { return name_; }
  Support supports(const Problem& problem) const override {
    if (problem.score.has_bias() || problem.dropout > 0) return Support::refused("knows neither biases nor dropout");
    return {};
  }
  void forward(const Problem& problem, const Arguments& arguments, Device&) const override { run_(problem, arguments); }

 private:
  std::string name_;
  std::function<void(const Problem&, const Arguments&)> run_;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One row of scores, and the rows of V that belong to them.
struct Row {
  const Emulation& with;
  std::vector<double> scores;
  std::function<double(index key, index channel)> value;
};

/// The state of a row after the keys that it has taken in.
struct Sums {
  double m = -infinity, l = 0;
  std::vector<double> out;

  void raise(const Emulation& with, double maximum) {
    if (l > 0 && maximum > m) {
      const double factor = with.rescale(std::exp(m - maximum));
      l *= factor;
      for (double& sum : out) sum *= factor;
    }
    m = std::max(m, maximum);
  }

  /// Takes in a tile: its maximum first, then its keys.
  void take_in(const Row& row, index first, index last) {
    double largest = m;
    for (index j = first; j < last; ++j) largest = std::max(largest, row.scores[static_cast<std::size_t>(j)]);
    raise(row.with, largest);
    double tile = 0;
    for (index j = first; j < last; ++j) tile += weight(row, j);
    for (index j = first; j < last; ++j) {
      const double p = weight(row, j);
      if (p == 0) continue;
      const double cast = row.with.weight(row.with.normalised ? p / (l + tile) : p);
      for (std::size_t c = 0; c < out.size(); ++c)
        out[c] = row.with.sum(out[c] + cast * row.value(j, static_cast<index>(c)));
    }
    l += tile;
  }

  /// The sums of another part of the row.
  void merge(const Emulation& with, Sums other) {
    const double maximum = std::max(m, other.m);
    raise(with, maximum), other.raise(with, maximum);
    l += other.l;
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = with.merged(out[c] + with.merged(other.out[c]));
  }

 private:
  double weight(const Row& row, index key) const {
    const double score = row.scores[static_cast<std::size_t>(key)];
    return score == -infinity ? 0 : row.with.exponential(std::exp(score - m));
  }
};

/// visit(first, last) of stretches of so many keys; of all of them at once if 0.
template <class Visit>
void in_stretches(index first, index last, index keys, Visit visit) {
  for (index from = first; from<last; from += keys> 0 ? keys : last - first)
    visit(from, keys > 0 ? std::min(from + keys, last) : last);
}

std::vector<double> scores_of(const Emulation& with, const Problem& problem, const Arguments& a, index b, index h,
                              index i) {
  const Shape& s = problem.shape;
  std::vector<double> scores;
  for (index j = 0; j < s.keys; ++j) {
    double dot = 0;
    for (index c = 0; c < s.dim && j < problem.sequence(b).keys; ++c)
      dot = with.product(dot +
                         with.operand(a.query.value(b, h, i, c)) * with.operand(a.key.value(b, s.kv_head(h), j, c)));
    double score = with.score(dot * problem.scale());
    if (const auto cap = problem.score.softcap()) score = *cap * std::tanh(score / *cap);
    scores.push_back(with.pair({b, h, i, j}, problem.visible({b, h, i, j}) ? score : -infinity));
  }
  return scores;
}

void attend(const Emulation& with, const Problem& problem, const Arguments& a, index b, index h, index i) {
  const Shape& s = problem.shape;
  const Row row{with, scores_of(with, problem, a, b, h, i),
                [&](index j, index c) { return a.value.value(b, s.kv_head(h), j, c); }};
  const std::vector<double> zeros(static_cast<std::size_t>(s.value_dim));
  Sums all{-infinity, 0, zeros};
  if (a.sink) all.m = a.sink->value(0, h, 0, 0), all.l = 1;
  in_stretches(0, s.keys, with.part, [&](index first, index last) {
    const bool alone = with.part > 0;
    Sums own{-infinity, 0, zeros};
    in_stretches(first, last, with.tile, [&](index from, index to) { (alone ? own : all).take_in(row, from, to); });
    if (alone && own.l > 0) all.merge(with, own);
  });
  const double divisor = with.normalised ? 1 : all.l * with.denominator;
  for (index c = 0; c < s.value_dim; ++c)
    a.out.set(b, h, i, c, all.l == 0 ? 0 : with.out(all.out[static_cast<std::size_t>(c)] / divisor));
  a.log_sum_exp.set(b, h, i, 0, all.l == 0 ? -infinity : with.log_sum_exp(all.m + std::log(all.l)));
}

template <class Row>
void each_row(const Problem& problem, const Arguments& arguments, Row row) {
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < arguments.out.rows(b); ++i) row(b, h, i);
}

double to_bits(double x, int bits, double (*rounded)(double)) {
  if (!std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(rounded(std::ldexp(fraction, bits)), exponent - bits);
}

}  // namespace

SharedKernel Emulation::kernel(std::string name) const {
  return std::make_shared<Run>(std::move(name), [with = *this](const Problem& problem, const Arguments& arguments) {
    each_row(problem, arguments, [&](index b, index h, index i) { attend(with, problem, arguments, b, h, i); });
  });
}

double with_bits(double x, int bits) {
  return to_bits(x, bits, [](double y) { return std::nearbyint(y); });
}
double cut_to_bits(double x, int bits) {
  return to_bits(x, bits, [](double y) { return std::trunc(y); });
}
double in_f16(double x) { return dtype("f16").round(x); }

SharedKernel answering(std::string name,
                       std::function<double(const Problem&, const Arguments&, const Pair&, index channel)> fill) {
  return std::make_shared<Run>(std::move(name),
                               [fill = std::move(fill)](const Problem& problem, const Arguments& arguments) {
                                 each_row(problem, arguments, [&](index b, index h, index i) {
                                   for (index c = 0; c < problem.shape.value_dim; ++c)
                                     arguments.out.set(b, h, i, c, fill(problem, arguments, {b, h, i, 0}, c));
                                   arguments.log_sum_exp.set(b, h, i, 0, 0);
                                 });
                               });
}

}  // namespace attestone
