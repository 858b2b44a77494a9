// SPDX-License-Identifier: Apache-2.0
// Inputs that repeat those of a trial, and comparing what comes of them.
#include "conformance/properties/metamorphic/same_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace attestone::inline conformance {
namespace {

/// True if elements of a row are whole bytes that follow each other.
bool is_adjacent(const ConstView& view) { return view.strides()[3] == 1 && view.dtype().storage_bits() % 8 == 0; }

bool has_same_bits(const ConstView& one, const Extents& at, const ConstView& other, const Extents& there) {
  const auto bytes = static_cast<std::size_t>(one.extents()[3] * one.dtype().storage_bits() / 8);
  return is_adjacent(one) && is_adjacent(other) &&
         std::memcmp(one.at(at[0], at[1], at[2], 0), other.at(there[0], there[1], there[2], 0), bytes) == 0;
}

/// All channels of one row, over and over, as many as the other has.
void repeat_row(const ConstView& from, const Extents& at, const View& to, const Extents& there) {
  const index channels = from.extents()[3], all = to.extents()[3];
  const bool whole = is_adjacent(from) && is_adjacent(to);
  for (index c = 0; c < all; c += whole ? channels : 1)
    if (whole)
      std::memcpy(to.at(there[0], there[1], there[2], c), from.at(at[0], at[1], at[2], 0),
                  static_cast<std::size_t>(std::min(channels, all - c) * from.dtype().storage_bits() / 8));
    else
      to.set_code(there[0], there[1], there[2], c, from.code(at[0], at[1], at[2], c % channels));
}

/// Rows from `first_row` on, over and over; so are sequences, heads and channels (of a bias those are keys).
void repeat(const Tensor& from, Tensor& to, index first_row) {
  const ConstView all = from.view();
  const View copies = to.view();
  const Extents &there = all.extents(), &here = copies.extents();
  for (index b = 0; b < here[0]; ++b) {
    const index batch = b % there[0], rows = all.rows(batch);
    for (index h = 0; h < here[1] && rows > 0; ++h)
      for (index r = 0; r < copies.rows(b); ++r)
        repeat_row(all, {batch, h % there[1], (first_row + r) % rows}, copies, {b, h, r});
  }
}

Inputs repeated(const Inputs& all, const ScheduledCall& call) {
  Inputs inputs(call.problem);
  repeat(all.query, inputs.query, call.first_query);
  repeat(all.key, inputs.key, 0);
  repeat(all.value, inputs.value, 0);
  if (all.bias) repeat(*all.bias, *inputs.bias, call.first_query);
  if (all.sink) repeat(*all.sink, *inputs.sink, 0);
  if (all.dout) repeat(*all.dout, *inputs.dout, call.first_query);
  return inputs;
}

/// Rows of a tensor in both calls.
class Rows {
 public:
  Rows(const RowAnswers& own, const RowAnswers& other) : own_(own.call.problem), call_(other.call) {}

  /// The first element that differs; `of_keys` if the rows are keys.
  std::string first_difference(std::string_view name, const ConstView& own, const ConstView& other,
                               bool of_keys) const {
    const index heads = other.extents()[1], channels = other.extents()[3];
    // A kept pair follows from its place: in a copy of a sequence other pairs are kept.
    const bool copies = own_.dropout == 0;
    for (index b = 0; b < call_.known_sequences() && (copies || b < own_.shape.batch); ++b)
      for (index h = 0; h < heads && (copies || h < own.extents()[1]); ++h)
        for (index r = 0; r < in_both(b, of_keys); ++r) {
          const index batch = b % own.extents()[0], head = h % own.extents()[1];
          const index row = r + (of_keys ? 0 : call_.first_query);
          if (has_same_bits(own, {batch, head, row}, other, {b, h, r})) continue;
          for (index c = 0; c < channels; ++c) {
            if (own.code(batch, head, row, c) == other.code(b, h, r, c)) continue;
            const double before = own.value(batch, head, row, c), now = other.value(b, h, r, c);
            if (before == now || (std::isnan(before) && std::isnan(now))) continue;
            return fmt::format("{}[b{}, h{}, {}{}, c{}] is {:.9g}, and {:.9g} otherwise", name, batch, head,
                               of_keys ? 'k' : 'q', row, c, now, before);
          }
        }
    return {};
  }

  /// True if every key meets the queries that it meets in the trial.
  bool keys_meet_the_same() const {
    for (index b = 0; b < call_.known_sequences(); ++b) {
      const Sequence own = own_.sequence(b % own_.shape.batch), other = call_.problem.sequence(b);
      if (call_.first_query > 0 || own.queries != other.queries || own.keys > other.keys) return false;
    }
    return true;
  }

 private:
  index in_both(index batch, bool of_keys) const {
    const Sequence own = own_.sequence(batch % own_.shape.batch), other = call_.problem.sequence(batch);
    return of_keys ? std::min(own.keys, other.keys) : std::min(own.queries - call_.first_query, other.queries);
  }

  const Problem& own_;
  const ScheduledCall& call_;
};

}  // namespace

RowAnswers row_answers(Trial& trial, const ScheduledCall& call) {
  Trial other(trial.kernel(), call.problem);
  const Inputs inputs = repeated(trial.inputs(), call);
  RowAnswers answers{call, other.run(inputs).outputs, std::nullopt};
  if (call.problem.backward && call.problem.deterministic && trial.kernel().gradients_repeat(call.problem))
    answers.gradients = other.backward().run(inputs, answers.outputs).gradients;
  trial.times.kernel += other.times.kernel;
  return answers;
}

std::string first_difference(const RowAnswers& own, const RowAnswers& other) {
  const Rows rows(own, other);
  std::string found;
  const auto compare = [&](std::string_view name, const Tensor& mine, const Tensor& theirs, bool of_keys = false) {
    if (found.empty() && mine.exists() && theirs.exists())
      found = rows.first_difference(name, mine.view(), theirs.view(), of_keys);
  };
  compare("out", own.outputs.out, other.outputs.out);
  compare("log_sum_exp", own.outputs.log_sum_exp, other.outputs.log_sum_exp);
  if (own.outputs.max_logits && other.outputs.max_logits)
    compare("max_logits", *own.outputs.max_logits, *other.outputs.max_logits);
  if (!own.gradients || !other.gradients) return found;
  compare("dquery", own.gradients->query, other.gradients->query);
  if (!rows.keys_meet_the_same()) return found;
  compare("dkey", own.gradients->key, other.gradients->key, true);
  compare("dvalue", own.gradients->value, other.gradients->value, true);
  return found;
}

}  // namespace attestone::inline conformance
