// SPDX-License-Identifier: Apache-2.0
// How far the answer to the codes is from the answer to what was given: two rows in double.
#include "reference/error_bound/forward/coded_row.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {
namespace {

/// |a - b| of numbers that are known to within these; infinite where one of them is no number.
double distance(double a, double b, double error) {
  const double apart = std::abs(a - b) + error;
  return std::isnan(apart) ? infinity : apart;
}

}  // namespace

GivenBack given_back(const CodedProblem& coded, const Numerics& numerics, double scale, index batch, index head,
                     index query) {
  const auto [value, size, gap] = coded.mean_product(batch, head, query);
  const Cast& cast = numerics.score.mean_product;
  const double roundings = mean_product_roundoff(numerics.score, coded.problem().shape.dim) * size;
  const double error = gap + roundings + (size == 0 ? 0 : cast.underflow);
  const bool stays = cast.largest == 0 || std::abs(value) + error <= cast.largest;
  return {scale * value, stays ? std::abs(scale) * error : infinity};
}

GivenBack value_given_back(const CodedProblem& coded, const Numerics& numerics, index batch, index head, index channel,
                           double out) {
  const auto [mean, gap] = coded.value_mean(batch, head, channel);
  if (mean == 0 && gap == 0) return {};
  const Cast& cast = numerics.output.cast;
  const double size = std::abs(mean) + gap;
  const double error = gap + ((1 + numerics.output.accumulator.roundoff) * (1 + cast.roundoff) - 1) * size;
  return {mean, std::abs(out) + size <= cast.largest / 2 ? error : infinity};
}

CodedRow::CodedRow(const DecodedInputs& given, const CodedInputs& codes, const Numerics& numerics, index batch,
                   index head, index query)
    : given_(given, numerics, batch, head, query),
      coded_(codes.decoded, numerics, batch, head, query),
      given_back_(given_back(codes.coded, numerics, given.problem().scale(), batch, head, query)),
      sum_roundoff_(given_back_.value == 0 ? 0 : numerics.output.log_sum_exp_roundoff) {
  const std::vector<double>& out = coded_.sums().out;
  for (std::size_t c = 0; c < out.size(); ++c)
    given_to_out_.push_back(value_given_back(codes.coded, numerics, batch, head, static_cast<index>(c), out[c]));
}

double CodedRow::moved(index channel) const {
  if (visible_keys() == 0) return 0;
  const auto c = static_cast<std::size_t>(channel);
  const auto [mean, error] = given_to_out_[c];
  return distance(coded_.sums().out[c] + mean, given_.sums().out[c], coded_.noise(c) + given_.noise(c) + error);
}

double CodedRow::moved_log_sum_exp() const {
  if (given_.scores().size() == 0) return 0;
  const RowWeights &coded = coded_.weights(), &given = given_.weights();
  const auto noise = [](const RowWeights& row) { return row.evaluation_error * (1 + std::abs(row.log_sum_exp)); };
  const double sum = coded.log_sum_exp + given_back_.value;
  return distance(sum, given.log_sum_exp,
                  noise(coded) + noise(given) + given_back_.error + sum_roundoff_ * std::abs(sum));
}

/// Codes that are NaN, or, of a fixed scale, what an infinity saturates to.
bool CodedRow::reads_codes_of_no_number() const {
  const auto stands_for_any = [](double coded, double given) {
    return std::isnan(coded) || (std::isfinite(coded) && !std::isfinite(given));
  };
  if (stands_for_any(coded_.weights().log_sum_exp, given_.weights().log_sum_exp)) return true;
  const std::vector<double>&coded = coded_.sums().out, &given = given_.sums().out;
  for (std::size_t c = 0; c < coded.size(); ++c)
    if (stands_for_any(coded[c], given[c])) return true;
  return false;
}

GainTerms CodedRow::gain_terms(std::span<const double> direction) const {
  GainTerms terms = coded_.gain_terms(direction);
  for (std::size_t c = 0; c < direction.size(); ++c)
    if (direction[c] != 0) terms.others += std::abs(direction[c]) * moved(static_cast<index>(c));
  return terms;
}

}  // namespace attestone
