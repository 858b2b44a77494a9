// SPDX-License-Identifier: Apache-2.0
// Keys that win, and answers compared bit for bit.
#include "conformance/properties/exact_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

// exp(-104) is below half of the smallest subnormal of f32: a key that trails by more has weight 0.
constexpr double decisive_lead = 104;

// The least lead that decides after keys are rounded: exp(-52) is below 2^-75.
constexpr double still_decisive_lead = 52;

// No element of V is larger: normal numbers, and digits.
constexpr double largest_value = 16;

constexpr index no_key = -1;

/// Keys spell their number in the signs of so many channels.
index letters(const Problem& problem) {
  index count = 0;
  while ((index{1} << count) < problem.shape.keys) ++count;
  return count;
}
double sign(index key, index channel) { return (key >> channel) & 1 ? -1 : 1; }

/// True if a channel is left in which the query can take back what the letters of its own key add up to, exactly.
bool is_centred(const Problem& problem) {
  const auto sum = static_cast<double>(letters(problem));
  return problem.shape.dim > letters(problem) && problem.input.round(sum) == sum;
}

/// The length of a query that makes its key lead by more than decisive_lead: a power of two.
double decisive_length(const Problem& problem) {
  return std::exp2(std::ceil(std::log2(decisive_lead / 2 / std::abs(problem.scale()))) + 1);
}

/// The largest element of a query.
double longest(const Problem& problem) {
  return decisive_length(problem) * (is_centred(problem) ? std::max(1.0, static_cast<double>(letters(problem))) : 1);
}

}  // namespace

std::string without_exact_answers(const Problem& problem) {
  if (problem.shape.queries == 0) return "no queries";
  if (problem.score.has_bias()) return "a bias moves the scores";
  if (problem.score.has_sink()) return "the sink takes a share of every row";
  return problem.dropout > 0 ? "dropout leaves no key with all the weight" : "";
}

std::optional<ExactNumber> of_empty_row(const Trial& trial) {
  return trial.conventions().empty_rows == EmptyRows::zero ? std::optional(ExactNumber{}) : std::nullopt;
}

Verdict exactly(Trial& trial, const Inputs& inputs, const ExactAnswer& answer) {
  const DType& format = trial.problem().output;
  const Shape& s = trial.problem().shape;
  const KernelAnswer got = trial.run(inputs);
  const ConstView out = got.outputs.out.view();
  const RowReader reader(out);
  std::vector<double> row(static_cast<std::size_t>(s.value_dim));
  bool conclusive = false;
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < out.rows(b); ++i) {
        reader.read(b, h, i, row);
        for (index c = 0; c < s.value_dim; ++c) {
          const std::optional<ExactNumber> right = answer(b, h, i, c);
          if (!right) continue;
          conclusive = true;
          const double found = row[static_cast<std::size_t>(c)], expected = format.round(right->value);
          if (found != expected && !right->is(found, format, trial.numerics()))
            return Verdict::failed(
                "not-exact", fmt::format("expected {} {:.9g}, got {:.9g} at out[b{}, h{}, q{}, c{}]",
                                         right->error > 0 ? "the answer" : "exactly", expected, found, b, h, i, c));
        }
      }
  return conclusive ? Verdict::passed() : Verdict::inconclusive("weak-case", "no row has an answer that is known");
}

bool ExactNumber::is(double got, const DType& output, const Numerics& numerics) const {
  const double u = output.unit_roundoff(), declared = numerics.output.cast.roundoff;
  const bool to_nearest = declared <= u;
  // More than what rounding either way costs: the number was rounded to a narrower format before.
  const double off = error + (declared > 2 * u ? declared * (std::abs(value) + error) : 0);
  const double least = output.round(value - off, to_nearest ? Rounding::nearest_even : Rounding::downward);
  const double most = output.round(value + off, to_nearest ? Rounding::nearest_even : Rounding::upward);
  return least <= got && got <= most;
}

std::string Selection::impossible(const Problem& problem) {
  if (std::string why = without_exact_answers(problem); !why.empty()) return why;
  const Shape& s = problem.shape;
  if (s.keys == 0) return "no keys";
  if (s.dim < letters(problem)) return "too few channels to tell the keys apart";
  if (problem.score.softcap()) return "softcap leaves no key with all the weight";
  return longest(problem) > problem.input.largest() ? "the scale is too small to let one key win" : "";
}

Selection::Selection(const Problem& problem) : problem_(problem) {
  const Shape& s = problem.shape;
  const VisiblePairs visible(problem);
  selected_.assign(static_cast<std::size_t>(s.rows()), no_key);
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < s.queries; ++i) {
        const index count = visible.count(b, h, i);
        if (count == 0) continue;
        index skip = draw_for(problem, {TensorName::query, b, h, i, 0}).integer(0, count - 1);
        index& selected = selected_[place(b, h, i)];
        do ++selected;
        while (!visible({b, h, i, selected}) || skip-- > 0);
      }
}

std::optional<index> Selection::key(index batch, index head, index query) const {
  const index selected = selected_[place(batch, head, query)];
  return selected == no_key ? std::nullopt : std::optional(selected);
}

ElementSource Selection::source(const ElementSource& value) const {
  const double length = std::copysign(decisive_length(problem_), problem_.scale());
  const index count = letters(problem_);
  const double taken_back = is_centred(problem_) ? length * static_cast<double>(count) : 0;
  return [this, value, length, count, taken_back](const Element& at) {
    if (at.tensor == TensorName::value) return value(at);
    if (at.tensor == TensorName::key) return at.channel < count ? sign(at.row, at.channel) : 1.0;
    const auto selected = key(at.batch, at.head, at.row);
    if (!selected || at.channel > count) return 0.0;
    return at.channel < count ? length * sign(*selected, at.channel) : -taken_back;
  };
}

WinnerError Selection::error(const Numerics& numerics) const {
  const double length = longest(problem_) * std::abs(problem_.scale()), count = static_cast<double>(letters(problem_));
  // Keys hold 1 and -1, and differ in one letter at least.
  const double gap = 2 * decisive_length(problem_) * std::abs(problem_.scale());
  const RowCast& cast = numerics.score.keys;
  const double moved =
      (cast.roundoff + cast.of_largest + cast.underflow) * gap * count + moved_by_codes(numerics.score);
  const double lead = std::min(decisive_lead, gap - 2 * moved);
  if (lead < still_decisive_lead) return {0, std::numeric_limits<double>::infinity()};
  return winner_error(numerics, {.score = (is_centred(problem_) ? 0 : length * count) + moved,
                                 .lead = lead,
                                 .channels = letters(problem_),
                                 .keys = problem_.shape.keys,
                                 .largest_value = largest_value});
}

/// Keys hold 1 and -1, less their mean at most twice as much; the largest number of a query is its longest.
double Selection::moved_by_codes(const ScoreStage& score) const {
  const double largest_key = score.key_codes.centring == Centring::none ? 1 : 2, largest_query = longest(problem_);
  const double of_keys = code_error(score.key_codes, 1);
  // Queries are multiplied before they become codes.
  const bool unknown = score.scaled_before_codes && score.query_codes.fixed_largest > 0;
  const double of_queries =
      unknown ? std::numeric_limits<double>::infinity() : code_error(score.query_codes, largest_query) / largest_query;
  const double length = largest_query * std::abs(problem_.scale()),
               channels = static_cast<double>(letters(problem_)) + 1;
  const double size = decisive_length(problem_) * std::abs(problem_.scale()) * (channels - 1) + length;
  return of_keys * size + of_queries * length * channels * (largest_key + of_keys);
}

ExactNumber Selection::answer(const WinnerError& error, double value, double largest) {
  return {value, error.relative * std::abs(value) + error.absolute + error.of_largest * largest};
}

}  // namespace attestone::inline conformance
