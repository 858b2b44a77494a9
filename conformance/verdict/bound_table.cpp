// SPDX-License-Identifier: Apache-2.0
// Evaluating the bounds of all rows in parallel.
#include "conformance/verdict/bound_table.hpp"

#include <cmath>

#include "reference/tensor/floating_point_environment.hpp"

namespace attestone::inline conformance {
namespace {

// Multiply-adds below which waking another thread costs more than it saves.
constexpr double worth_a_thread = 1e6;
// Rows whose bounds are kept for the next channel that asks, where not all are: each as long as its row has keys.
constexpr std::size_t most_recent = 256;
// Keys of all rows, up to which the bounds of every row are kept: some 200 bytes for each.
constexpr double few_enough_to_keep = 1 << 17;

}  // namespace

BoundTable::BoundTable(const Problem& problem, const Truth& truth, const ForwardBound& bound, Rows asked,
                       const Chosen& chosen)
    : bound_(bound), asked_(asked), stride_(static_cast<std::size_t>(problem.shape.value_dim + numbers_of_row)) {
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (std::size_t row = 0; row < truth.queries().size(); ++row)
        if (const RowPlace at{b, h, static_cast<index>(row), truth.queries()[row]}; !chosen || chosen(at))
          places_.push_back(at);
  rows_.resize(places_.size());
  deterministic_.resize(places_.size() * stride_);
  at_least_.resize(places_.size() * stride_);
  exact_.resize(places_.size() * stride_);
  kept_.resize(places_.size());
  keeps_rows_ = asked == Rows::with_weak_answers &&
                static_cast<double>(places_.size()) * static_cast<double>(problem.shape.keys) <= few_enough_to_keep;
  const double work = static_cast<double>(places_.size()) * static_cast<double>(problem.shape.keys * problem.shape.dim);
#pragma omp parallel if (work > worth_a_thread)
  {
    const DefaultFloatingPoint environment;  // of this thread of the team
#pragma omp for schedule(dynamic, 4)
    for (std::size_t place = 0; place < places_.size(); ++place) evaluate(truth, place);
  }
}

void BoundTable::evaluate(const Truth& truth, std::size_t place) {
  const RowPlace& where = places_[place];
  auto bounds = row_bound(place);
  RowBounds& row = rows_[place];
  row.visible_keys = bounds->visible_keys();
  row.infinity_may_be_nan = bounds->infinity_may_be_nan();
  row.may_be_any_number = bounds->reads_codes_of_no_number();
  deterministic_[at(place, log_sum_exp_channel)] = bounds->log_sum_exp();
  at_least_[at(place, log_sum_exp_channel)] = bounds->log_sum_exp_probabilistic_at_least();
  if (truth.has_max_logits())
    deterministic_[at(place, max_logits_channel)] = at_least_[at(place, max_logits_channel)] = bounds->max_logits();
  const std::size_t channels = stride_ - numbers_of_row, first = at(place, 0);
  bounds->all_of_out(std::span(deterministic_).subspan(first, channels), std::span(at_least_).subspan(first, channels));
  for (index c = 0; c < static_cast<index>(channels); ++c) {
    const double bound = deterministic_[at(place, c)];
    if (std::isinf(bound) || asked_ == Rows::without_weak_answers) continue;
    const double right = truth.out(where.batch, where.head, where.row, c).value;
    if (!std::isfinite(right)) continue;
    // Cheap first: only between its lower estimate and the deterministic bound does the probabilistic one matter.
    const double at_least = at_least_[at(place, c)];
    const auto would_pass = [&](double answer) {
      const double distance = std::abs(answer - right);
      return distance <= at_least || (distance <= bound && distance <= bounds->out_probabilistic(c));
    };
    if (row.zeros_would_pass) row.zeros_would_pass = would_pass(0);
    if (row.mean_would_pass) row.mean_would_pass = would_pass(bounds->mean_value(c));
  }
  if (keeps_rows_) kept_[place] = std::move(bounds);
}

double BoundTable::probabilistic(std::size_t place, index channel) {
  const std::size_t element = at(place, channel);
  if (exact_[element] || channel == max_logits_channel) return at_least_[element];
  exact_[element] = true;
  const RowBound& row = bound_of_row(place);
  const bool of_out = channel != log_sum_exp_channel;
  return at_least_[element] = of_out ? row.out_probabilistic(channel) : row.log_sum_exp_probabilistic();
}

const RowBound& BoundTable::bound_of_row(std::size_t place) {
  if (kept_[place]) return *kept_[place];
  if (recent_.size() >= most_recent) {
    for (const std::size_t old : recent_) kept_[old].reset();
    recent_.clear();
  }
  recent_.push_back(place);
  kept_[place] = row_bound(place);
  return *kept_[place];
}

std::unique_ptr<RowBound> BoundTable::row_bound(std::size_t place) const {
  const RowPlace& where = places_[place];
  return bound_.row(where.batch, where.head, where.query);
}

}  // namespace attestone::inline conformance
