// SPDX-License-Identifier: Apache-2.0
// Comparing every element cheaply, then finding the worst one exactly.
#include "conformance/verdict/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>

#include "conformance/verdict/accuracy.hpp"
#include "conformance/verdict/compared_elements.hpp"
#include "conformance/verdict/element_error.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone::inline conformance {
namespace {

/// An element that may be the worst one.
struct Suspect {
  double r_prob_at_most;
  std::size_t place;
  index channel;
  double error;
};

/// Orders suspects; of equal ones the first counts, so that the worst element is always the same.
bool less_suspect(const Suspect& a, const Suspect& b) {
  if (a.r_prob_at_most != b.r_prob_at_most) return a.r_prob_at_most < b.r_prob_at_most;
  return std::pair(a.place, a.channel) > std::pair(b.place, b.channel);
}

/// Evaluates probabilistic bounds from the most suspect element down, until no other can be worse.
std::optional<std::pair<Suspect, double>> worst_of(std::vector<Suspect> suspects, BoundTable& bounds) {
  std::optional<std::pair<Suspect, double>> worst;
  std::ranges::make_heap(suspects, less_suspect);
  while (!suspects.empty()) {
    const Suspect next = suspects.front();
    if (worst && next.r_prob_at_most <= worst->second) break;
    const double r_prob = share_of_budget(next.error, bounds.probabilistic(next.place, next.channel));
    if (!worst || r_prob > worst->second) worst = {next, r_prob};
    std::ranges::pop_heap(suspects, less_suspect);
    suspects.pop_back();
  }
  return worst;
}

WorstElement described(const ComparedElements& elements, const BoundTable& bounds, const Suspect& suspect,
                       double r_prob, index query_tile) {
  const auto [at_most, place, channel, error] = suspect;
  const RowPlace& at = bounds.places()[place];
  WorstElement worst;
  worst.tensor = text(tensor_of(channel));
  worst.batch = at.batch, worst.head = at.head, worst.query = at.query, worst.channel = std::max<index>(channel, 0);
  worst.visible_keys = bounds.row(place).visible_keys;
  if (query_tile > 0) worst.query_tile = at.query / query_tile;
  worst.expected = elements.truth(place, channel).value, worst.got = elements.got(place, channel);
  worst.ulps = worst.expected == worst.got ? 0 : std::abs(worst.got - worst.expected) / elements.ulp(place, channel);
  worst.r_det = share_of_budget(error, bounds.deterministic(place, channel)), worst.r_prob = r_prob;
  return worst;
}

/// Gradients have rows of queries or keys, and no row of visible keys of their own.
std::string place_of(const WorstElement& worst) {
  const bool of_row = worst.tensor == "log_sum_exp" || worst.tensor == "max_logits";
  const bool of_query = worst.tensor == "out" || of_row;
  const char* row = of_query || worst.tensor == "dquery" || worst.tensor == "dbias" ? "q" : "k";
  std::string place = fmt::format("{}[b{}, h{}, {}{}", worst.tensor, worst.batch, worst.head, row, worst.query);
  if (!of_row) place += fmt::format(", c{}", worst.channel);
  place += ']';
  if (!of_query) return place;
  if (worst.query_tile) place += fmt::format(" in query tile {}", *worst.query_tile);
  return place + fmt::format(", a row of {} visible keys", worst.visible_keys);
}

std::string_view reason_of(std::string_view tensor) {
  if (tensor == "out") return "wrong-number";
  if (tensor == "max_logits") return "wrong-max-logits";
  return tensor == "log_sum_exp" ? "wrong-log-sum-exp" : "wrong-gradient";
}

}  // namespace

Comparison compare(const Truth& truth, BoundTable& bounds, const Outputs& got, index query_tile,
                   const RowFilter& filter, double log_sum_exp_unit) {
  const DefaultFloatingPoint environment;
  const ComparedElements elements(truth, bounds, got, log_sum_exp_unit);
  Comparison all;
  AccuracySums sums;
  const std::map<std::pair<index, index>, double> units = elements.units_of_heads();
  std::vector<Suspect> suspects;
  for (std::size_t place = 0; place < bounds.places().size(); ++place) {
    const RowPlace& at = bounds.places()[place];
    if (at.query >= got.out.view().rows(at.batch)) continue;
    if (filter && !filter(at.batch, at.head, at.query)) continue;
    const RowBounds& row = bounds.row(place);
    const double unit = units.at({at.batch, at.head});
    for (const index c : elements.asked()) {
      if (is_left_open(elements.truth(place, c))) continue;
      ++all.elements;
      if (c >= 0) sums.add(elements.got(place, c), elements.truth(place, c).value, unit);
      if (elements.is_certainly_special(place, c)) {
        if (c >= 0 && elements.error_of(0, place, c) > 0) all.zeros_would_pass = false;
        if (!elements.has_finite_scores(place)) all.mean_would_pass = false;
      } else if (!std::isfinite(bounds.deterministic(place, c))) {
        ++all.unbounded;
        continue;
      }
      const double error = elements.error(place, c);
      suspects.push_back({share_of_budget(error, bounds.probabilistic_at_least(place, c)), place, c, error});
    }
    all.right_answer_is_empty = all.right_answer_is_empty && row.visible_keys == 0;
    if (row.visible_keys == 0) continue;
    all.zeros_would_pass = all.zeros_would_pass && row.zeros_would_pass;
    all.mean_would_pass = all.mean_would_pass && row.mean_would_pass;
  }
  all.accuracy = sums.accuracy();
  std::optional<std::pair<Suspect, double>> shown;
  auto first = suspects.begin();
  for (const TensorName tensor : elements.tensors()) {
    const auto is_of_it = [&](const Suspect& suspect) { return tensor_of(suspect.channel) == tensor; };
    const auto last = std::partition(first, suspects.end(), is_of_it);
    const std::span<const Suspect> own(first, last);
    first = last;
    ErrorField& errors = all.errors.emplace_back(elements.field(tensor));
    for (const Suspect& s : own) {
      const RowPlace& at = bounds.places()[s.place];
      const double r_det = share_of_budget(s.error, bounds.deterministic(s.place, s.channel));
      const double unit = s.channel >= 0 ? units.at({at.batch, at.head}) : elements.ulp(s.place, s.channel);
      errors.set(at.batch, at.head, at.row, std::max<index>(s.channel, 0), r_det,
                 elements.ulps(s.place, s.channel, unit));
      all.accuracy.r_det = std::max(all.accuracy.r_det, r_det);
    }
    const auto worst = worst_of({own.begin(), own.end()}, bounds);
    if (!worst) continue;
    all.accuracy.r_prob = std::max(all.accuracy.r_prob, worst->second);
    // A wrong O is what people look for first; numbers of its rows are shown if O itself conforms.
    const bool out_fails = shown && shown->first.channel >= 0 && shown->second > 1;
    if (!shown || (!out_fails && worst->second > shown->second)) shown = worst;
  }
  if (shown) all.worst = described(elements, bounds, shown->first, shown->second, query_tile);
  return all;
}

Verdict judged(const Comparison& comparison) {
  Verdict verdict = Verdict::passed();
  if (!comparison.conforms()) {
    const WorstElement& worst = *comparison.worst;
    const bool finite = std::isfinite(worst.got) && std::isfinite(worst.expected);
    verdict =
        Verdict::failed(finite ? reason_of(worst.tensor) : "wrong-non-finite",
                        fmt::format("expected {:.8g}, got {:.8g} at {}", worst.expected, worst.got, place_of(worst)));
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

}  // namespace attestone::inline conformance
