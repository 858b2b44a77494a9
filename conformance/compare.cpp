// SPDX-License-Identifier: Apache-2.0
// Comparing all rows in parallel, then finding the worst element exactly.
#include "conformance/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "conformance/element_error.hpp"

namespace attestone {
namespace {

// Multiply-adds below which waking another thread costs more than it saves.
constexpr double worth_a_thread = 1e5;

/// log_sum_exp stands beside the channels of O as one more.
constexpr index log_sum_exp_channel = -1;

struct RowPlace {
  index batch, head, row;  ///< `row` counts the certified queries
};

/// What one row contributes; merged in the order of the rows, so that sums do not depend on threads.
struct RowResult {
  index elements = 0, unbounded = 0;
  double r_det = 0;
  double r_prob_at_most = 0;  ///< by the cheap lower bound of the probabilistic bound
  bool zeros_pass = true, mean_passes = true, empty = true;
  double squared_error = 0, error = 0, absolute_error = 0, got_squared = 0, truth_squared = 0, product = 0,
         truth_absolute = 0;
  std::vector<double> ulps;
};

/// Everything that comparing one element needs.
class Rows {
 public:
  Rows(const Problem& problem, const Truth& truth, const ForwardBound& bound, const Outputs& got)
      : problem_(problem), truth_(truth), bound_(bound), out_(got.out.view()), log_sum_exp_(got.log_sum_exp.view()) {}

  index query(const RowPlace& at) const { return truth_.queries()[static_cast<std::size_t>(at.row)]; }
  std::unique_ptr<RowBound> bounds(const RowPlace& at) const { return bound_.row(at.batch, at.head, query(at)); }
  const DType& format(index channel) const {
    return channel == log_sum_exp_channel ? log_sum_exp_.dtype() : out_.dtype();
  }

  double got(const RowPlace& at, index channel) const {
    return channel == log_sum_exp_channel ? log_sum_exp_.value(at.batch, at.head, query(at), 0)
                                          : out_.value(at.batch, at.head, query(at), channel);
  }
  const Certified& truth(const RowPlace& at, index channel) const {
    return channel == log_sum_exp_channel ? truth_.log_sum_exp(at.batch, at.head, at.row)
                                          : truth_.out(at.batch, at.head, at.row, channel);
  }
  double error(const RowPlace& at, index channel, double bound) const {
    return element_error(got(at, channel), truth(at, channel), bound, format(channel),
                         truth_.admissible(at.batch, at.head, at.row, channel));
  }

  RowResult compare(const RowPlace&) const;
  /// The element of the row with the largest r_prob.
  WorstElement worst(const RowPlace&, const Numerics&) const;

 private:
  void add_statistics(RowResult&, double got, double truth, double ulp) const;

  const Problem& problem_;
  const Truth& truth_;
  const ForwardBound& bound_;
  ConstView out_, log_sum_exp_;
};

void Rows::add_statistics(RowResult& row, double got, double truth, double ulp) const {
  if (!std::isfinite(got) || !std::isfinite(truth)) return;
  const double error = got - truth;
  row.squared_error += error * error;
  row.error += error;
  row.absolute_error += std::abs(error);
  row.got_squared += got * got;
  row.truth_squared += truth * truth;
  row.product += got * truth;
  row.truth_absolute += std::abs(truth);
  row.ulps.push_back(std::abs(error) / ulp);
}

RowResult Rows::compare(const RowPlace& at) const {
  const auto bounds = this->bounds(at);
  RowResult row;
  row.empty = bounds->visible_keys() == 0;
  for (index c = log_sum_exp_channel; c < problem_.shape.value_dim; ++c) {
    const bool is_out = c != log_sum_exp_channel;
    const double bound = is_out ? bounds->out(c) : bounds->log_sum_exp();
    const double truth = this->truth(at, c).value;
    ++row.elements;
    if (is_out) add_statistics(row, got(at, c), truth, unit_in_last_place(format(c), truth));
    if (std::isinf(bound)) {
      ++row.unbounded;
      continue;
    }
    const double error = this->error(at, c, bound);
    const double least = is_out ? bounds->out_probabilistic_at_least(c) : bounds->log_sum_exp_probabilistic();
    row.r_det = std::max(row.r_det, share_of_budget(error, bound));
    row.r_prob_at_most = std::max(row.r_prob_at_most, share_of_budget(error, least));
    if (!is_out || !std::isfinite(truth)) continue;
    // Cheap first: only answers within the deterministic bound need the probabilistic one.
    const auto would_pass = [&](double answer) {
      const double distance = std::abs(answer - truth);
      return distance <= bound && distance <= bounds->out_probabilistic(c);
    };
    if (row.zeros_pass) row.zeros_pass = would_pass(0);
    if (row.mean_passes) row.mean_passes = would_pass(bounds->mean_value(c));
  }
  return row;
}

WorstElement Rows::worst(const RowPlace& at, const Numerics& numerics) const {
  const auto bounds = this->bounds(at);
  WorstElement worst;
  worst.r_prob = -1;
  for (index c = log_sum_exp_channel; c < problem_.shape.value_dim; ++c) {
    const bool is_out = c != log_sum_exp_channel;
    const double bound = is_out ? bounds->out(c) : bounds->log_sum_exp();
    if (std::isinf(bound)) continue;
    const double error = this->error(at, c, bound);
    const double least = is_out ? bounds->out_probabilistic_at_least(c) : bounds->log_sum_exp_probabilistic();
    if (share_of_budget(error, least) <= worst.r_prob) continue;
    const double r_prob =
        share_of_budget(error, is_out ? bounds->out_probabilistic(c) : bounds->log_sum_exp_probabilistic());
    if (!(r_prob > worst.r_prob)) continue;
    const double truth = this->truth(at, c).value, got = this->got(at, c);
    const double distance = truth == got ? 0 : std::abs(got - truth);
    worst = {.tensor = is_out ? "out" : "log_sum_exp",
             .batch = at.batch,
             .head = at.head,
             .query = query(at),
             .channel = std::max<index>(c, 0),
             .visible_keys = bounds->visible_keys(),
             .query_tile = numerics.tile_queries > 0 ? std::optional(query(at) / numerics.tile_queries) : std::nullopt,
             .expected = truth,
             .got = got,
             .ulps = distance / unit_in_last_place(format(c), std::isfinite(truth) ? truth : 0),
             .r_det = share_of_budget(error, bound),
             .r_prob = r_prob};
  }
  return worst;
}

std::vector<RowPlace> chosen_rows(const Problem& problem, const Truth& truth, const RowFilter& filter) {
  std::vector<RowPlace> places;
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (std::size_t row = 0; row < truth.queries().size(); ++row)
        if (!filter || filter(b, h, truth.queries()[row])) places.push_back({b, h, static_cast<index>(row)});
  return places;
}

/// Visits rows by falling upper estimate of r_prob and stops when no other row can be worse.
std::optional<WorstElement> worst_of(const Rows& rows, const std::vector<RowPlace>& places,
                                     const std::vector<RowResult>& results, const Numerics& numerics) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return results[a].r_prob_at_most > results[b].r_prob_at_most; });
  std::optional<WorstElement> worst;
  for (const std::size_t i : order) {
    if (results[i].unbounded == results[i].elements) continue;
    if (worst && results[i].r_prob_at_most <= worst->r_prob) break;
    const WorstElement candidate = rows.worst(places[i], numerics);
    if (!worst || candidate.r_prob > worst->r_prob) worst = candidate;
  }
  return worst;
}

/// The statistics over all elements of O, from the sums of the rows.
Accuracy accuracy_of(const std::vector<RowResult>& results) {
  RowResult all;
  for (const RowResult& row : results) {
    all.squared_error += row.squared_error, all.error += row.error, all.absolute_error += row.absolute_error;
    all.got_squared += row.got_squared, all.truth_squared += row.truth_squared, all.product += row.product;
    all.truth_absolute += row.truth_absolute;
    all.ulps.insert(all.ulps.end(), row.ulps.begin(), row.ulps.end());
  }
  Accuracy accuracy;
  if (all.ulps.empty()) return accuracy;
  const auto count = static_cast<double>(all.ulps.size());
  const auto p99 = all.ulps.begin() + static_cast<std::ptrdiff_t>((all.ulps.size() - 1) * 99 / 100);
  std::nth_element(all.ulps.begin(), p99, all.ulps.end());
  accuracy.p99_ulp = *p99;
  accuracy.max_ulp = *std::max_element(p99, all.ulps.end());
  accuracy.rmse = std::sqrt(all.squared_error / count);
  accuracy.signed_mean = all.error / count;
  accuracy.relative_l1 = share_of_budget(all.absolute_error, all.truth_absolute);
  const double norms = std::sqrt(all.got_squared) * std::sqrt(all.truth_squared);
  accuracy.cosine = norms == 0 ? (all.squared_error == 0 ? 1 : 0) : all.product / norms;
  return accuracy;
}

std::string place_of(const WorstElement& worst) {
  std::string place = fmt::format("{}[b{}, h{}, q{}", worst.tensor, worst.batch, worst.head, worst.query);
  if (worst.tensor == "out") place += fmt::format(", c{}", worst.channel);
  place += ']';
  if (worst.query_tile) place += fmt::format(" in query tile {}", *worst.query_tile);
  return place + fmt::format(", a row of {} visible keys", worst.visible_keys);
}

}  // namespace

Comparison compare(const Problem& problem, const Numerics& numerics, const Truth& truth, const ForwardBound& bound,
                   const Outputs& got, const RowFilter& filter) {
  const Rows rows(problem, truth, bound, got);
  const std::vector<RowPlace> places = chosen_rows(problem, truth, filter);
  std::vector<RowResult> results(places.size());
  const double work = static_cast<double>(places.size()) * static_cast<double>(problem.shape.keys * problem.shape.dim);
#pragma omp parallel for schedule(dynamic, 4) if (work > worth_a_thread)
  for (std::size_t i = 0; i < places.size(); ++i) results[i] = rows.compare(places[i]);

  Comparison all;
  all.accuracy = accuracy_of(results);
  for (const RowResult& row : results) {
    all.elements += row.elements;
    all.unbounded += row.unbounded;
    all.accuracy.r_det = std::max(all.accuracy.r_det, row.r_det);
    all.right_answer_is_empty = all.right_answer_is_empty && row.empty;
    if (row.empty || row.unbounded == row.elements) continue;
    all.zeros_would_pass = all.zeros_would_pass && row.zeros_pass;
    all.mean_would_pass = all.mean_would_pass && row.mean_passes;
  }
  all.worst = worst_of(rows, places, results, numerics);
  if (all.worst) all.accuracy.r_prob = all.worst->r_prob;
  return all;
}

Verdict judged(const Comparison& comparison) {
  Verdict verdict = Verdict::passed();
  if (!comparison.conforms()) {
    const WorstElement& worst = *comparison.worst;
    const bool finite = std::isfinite(worst.got) && std::isfinite(worst.expected);
    const auto* reason = !finite ? "wrong-non-finite" : worst.tensor == "out" ? "wrong-number" : "wrong-log-sum-exp";
    verdict = Verdict::failed(
        reason, fmt::format("expected {:.8g}, got {:.8g} at {}", worst.expected, worst.got, place_of(worst)));
  } else if (comparison.elements > 0 && comparison.unbounded == comparison.elements) {
    verdict = Verdict::inconclusive("unbounded", "an intermediate may leave the range of its format");
  } else if (!comparison.could_tell()) {
    verdict = Verdict::inconclusive(
        "weak-case", comparison.zeros_would_pass ? "an all-zero answer would pass" : "the mean of V would pass");
  }
  verdict.worst = comparison.worst;
  verdict.accuracy = comparison.accuracy;
  return verdict;
}

}  // namespace attestone
