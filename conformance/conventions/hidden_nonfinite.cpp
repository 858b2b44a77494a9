// SPDX-License-Identifier: Apache-2.0
// Finding what is not finite, and the rows from which it is hidden.
#include "conformance/conventions/hidden_nonfinite.hpp"

#include <cmath>
#include <limits>

#include "conformance/conventions/touched_gradients.hpp"

namespace attestone {
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

/// visit(row, what is hidden from it) for each row from which something is.
template <class Visit>
void for_each_concerned(const Problem& problem, const Inputs& inputs, const VisiblePairs& visible, const Visit& visit) {
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h) {
      const NonfiniteKeys all(inputs, b, problem.shape.kv_head(h));
      if (all.keys.empty()) continue;
      for (index i = 0; i < problem.shape.queries; ++i) {
        std::vector<const NonfiniteKeys::Key*> hidden;
        for (const NonfiniteKeys::Key& key : all.keys)
          if (!visible({b, h, i, key.key})) hidden.push_back(&key);
        if (!hidden.empty()) visit(AttentionRow{b, h, i}, hidden);
      }
    }
}

/// The answers that are right already, and these.
void admit_as_well(Truth& truth, const AttentionRow& row, index place, index channel, std::vector<double> answers) {
  const std::vector<double>* known = truth.admissible(row.batch, row.head, place, channel);
  if (known)
    answers.insert(answers.end(), known->begin(), known->end());
  else
    answers.push_back(channel < 0 ? truth.log_sum_exp(row.batch, row.head, place).value
                                  : truth.out(row.batch, row.head, place, channel).value);
  truth.admit(row.batch, row.head, place, channel, std::move(answers));
}

}  // namespace

bool may_spread(const Conventions& conventions, const Inputs& inputs) {
  return conventions.hidden_nonfinite == HiddenNonfinite::propagates &&
         !(is_finite(inputs.key.view()) && is_finite(inputs.value.view()));
}

void admit_spread(Truth& truth, const Problem& problem, const Inputs& inputs, const VisiblePairs& visible) {
  for_each_concerned(problem, inputs, visible, [&](const AttentionRow& row, const auto& hidden) {
    const auto found = std::lower_bound(truth.queries().begin(), truth.queries().end(), row.query);
    if (found == truth.queries().end() || *found != row.query) return;
    const index place = found - truth.queries().begin();
    const bool in_key = std::any_of(hidden.begin(), hidden.end(), [](const auto* key) { return key->in_key; });
    if (in_key) admit_as_well(truth, row, place, -1, {nan, infinity});
    for (index c = 0; c < problem.shape.value_dim; ++c) {
      const auto in_channel = [&](const auto* key) { return key->in_value[static_cast<std::size_t>(c)]; };
      if (in_key || std::any_of(hidden.begin(), hidden.end(), in_channel)) admit_as_well(truth, row, place, c, {nan});
    }
  });
}

void admit_spread(GradientTruth& truth, const Problem& problem, const Inputs& inputs, const VisiblePairs& visible) {
  for_each_concerned(problem, inputs, visible, [&](const AttentionRow& row, const auto&) {
    if (row.query >= inputs.query.view().rows(row.batch)) return;  // that a ragged layout does not store
    change_query_gradient(truth, row, admit_nan);
    change_shared_gradients(truth, row, problem.shape, admit_nan);
  });
}

}  // namespace attestone
