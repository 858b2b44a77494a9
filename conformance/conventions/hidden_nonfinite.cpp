// SPDX-License-Identifier: Apache-2.0
// Finding what is not finite, and the rows from which it is hidden.
#include "conformance/conventions/hidden_nonfinite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attestone::inline conformance {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

bool is_finite(const ConstView& tensor) {
  bool all = true;
  for_each_element(tensor,
                   [&](index b, index h, index r, index c) { all = all && std::isfinite(tensor.value(b, h, r, c)); });
  return all;
}

bool row_is_finite(const ConstView& tensor, index batch, index head, index row) {
  for (index c = 0; c < tensor.extents()[3]; ++c)
    if (!std::isfinite(tensor.value(batch, head, row, c))) return false;
  return true;
}

/// Keys of one kv head whose K or V is not finite; V stands there channel by channel.
struct NonfiniteKeys {
  struct Key {
    index key;
    bool in_key;
    std::vector<bool> in_value;
  };

  NonfiniteKeys(const Inputs& inputs, index batch, index kv_head) {
    const ConstView key = inputs.key.view(), value = inputs.value.view();
    for (index j = 0; j < key.rows(batch); ++j) {
      const bool in_key = !row_is_finite(key, batch, kv_head, j);
      if (!in_key && row_is_finite(value, batch, kv_head, j)) continue;
      keys.push_back({j, in_key, {}});
      for (index c = 0; c < value.extents()[3]; ++c)
        keys.back().in_value.push_back(!std::isfinite(value.value(batch, kv_head, j, c)));
    }
  }

  std::vector<Key> keys;
};

/// The numbers behind the mask of one row that are not finite.
struct HiddenFromRow {
  bool in_scores = false;         ///< K of a hidden key; or the query itself, if any key is hidden
  std::vector<bool> in_channels;  ///< V of a hidden key

  bool any() const { return in_scores || std::ranges::count(in_channels, true) > 0; }
};

HiddenFromRow hidden_from(const AttentionRow& row, const Inputs& inputs, const VisiblePairs& visible,
                          const NonfiniteKeys& all) {
  HiddenFromRow hidden{.in_channels = std::vector<bool>(static_cast<std::size_t>(inputs.value.view().extents()[3]))};
  for (const NonfiniteKeys::Key& key : all.keys) {
    if (visible({row.batch, row.head, row.query, key.key})) continue;
    hidden.in_scores = hidden.in_scores || key.in_key;
    for (std::size_t c = 0; c < key.in_value.size(); ++c)
      if (key.in_value[c]) hidden.in_channels[c] = true;
  }
  const ConstView query = inputs.query.view();
  const bool some_hidden = visible.count(row.batch, row.head, row.query) < inputs.key.view().rows(row.batch);
  if (some_hidden && row.query < query.rows(row.batch) && !row_is_finite(query, row.batch, row.head, row.query))
    hidden.in_scores = true;
  return hidden;
}

/// visit(row, what is hidden from it) for each row from which something is.
template <class Visit>
void for_each_concerned(const Problem& problem, const Inputs& inputs, const VisiblePairs& visible, const Visit& visit) {
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h) {
      const NonfiniteKeys all(inputs, b, problem.shape.kv_head(h));
      for (index i = 0; i < problem.shape.queries; ++i) {
        const AttentionRow row{b, h, i};
        if (const HiddenFromRow hidden = hidden_from(row, inputs, visible, all); hidden.any()) visit(row, hidden);
      }
    }
}

/// The answers that are right already, and these.
void admit_as_well(Truth& truth, const AttentionRow& row, index place, index channel, std::vector<double> answers) {
  const std::vector<double>* known = truth.admissible(row.batch, row.head, place, channel);
  if (known)
    answers.insert(answers.end(), known->begin(), known->end());
  else
    answers.push_back(truth.element(row.batch, row.head, place, channel).value);
  truth.admit(row.batch, row.head, place, channel, std::move(answers));
}

}  // namespace

bool may_spread(const Conventions& conventions, const Inputs& inputs) {
  return conventions.hidden_nonfinite == HiddenNonfinite::propagates &&
         !(is_finite(inputs.query.view()) && is_finite(inputs.key.view()) && is_finite(inputs.value.view()));
}

bool may_spread_into(const AttentionRow& row, const Problem& problem, const Inputs& inputs,
                     const VisiblePairs& visible) {
  return hidden_from(row, inputs, visible, {inputs, row.batch, problem.shape.kv_head(row.head)}).any();
}

void admit_spread(Truth& truth, const Problem& problem, const Inputs& inputs, const VisiblePairs& visible) {
  for_each_concerned(problem, inputs, visible, [&](const AttentionRow& row, const HiddenFromRow& hidden) {
    const auto found = std::lower_bound(truth.queries().begin(), truth.queries().end(), row.query);
    if (found == truth.queries().end() || *found != row.query) return;
    const index place = found - truth.queries().begin();
    if (hidden.in_scores) admit_as_well(truth, row, place, log_sum_exp_channel, {nan, infinity});
    if (hidden.in_scores && truth.has_max_logits())
      admit_as_well(truth, row, place, max_logits_channel, {nan, infinity});
    for (index c = 0; c < problem.shape.value_dim; ++c)
      if (hidden.in_scores || hidden.in_channels[static_cast<std::size_t>(c)])
        admit_as_well(truth, row, place, c, {nan});
  });
}

void admit_spread(GradientTruth& truth, const Problem& problem, const Inputs& inputs, const VisiblePairs& visible) {
  for_each_concerned(problem, inputs, visible, [&](const AttentionRow& row, const HiddenFromRow&) {
    if (row.query >= inputs.query.view().rows(row.batch)) return;  // that a ragged layout does not store
    change_query_gradient(truth, row, admit_nan);
    change_shared_gradients(truth, row, problem.shape, admit_nan);
  });
}

}  // namespace attestone::inline conformance
