// SPDX-License-Identifier: Apache-2.0
// Reading weights back through V, and holding what was read against other inputs.
#include "conformance/diagnosis/probes/effective_mask.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "conformance/diagnosis/definition.hpp"
#include "conformance/diagnosis/probes/shown_weights.hpp"
#include "reference/call/visible_pairs.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index most_keys = 256, most_queries = 256;
constexpr std::size_t most_second_probes = 32;

/// True if every weight that should be more than 0 stays so in the formats of the problem, as ALiBi's may not.
bool weights_survive(const Problem& problem, const Inputs& inputs) {
  const double smallest = 8 * std::max(problem.input.underflow(), problem.output.underflow());
  const DefinedAnswer answer = Definition(problem, inputs).forward();
  return std::ranges::all_of(answer.out, [&](double weight) { return weight == 0 || weight > smallest; });
}

/// One sequence and head of a problem, its right mask, and the one that a kernel seems to use.
class MaskProbe {
 public:
  MaskProbe(Trial& trial, index batch, index head)
      : trial_(trial), problem_(trial.problem()), dropout_(problem_), read_{batch, head, {}, {}} {}

  /// From O of weights_shown(), part by part. False if O holds what is no weight, or is 0 in a row that says by its
  /// log_sum_exp that it saw keys: then zeros are what a kernel wrote, not what it weighed.
  bool read(const VisiblePairs& visible, const std::vector<Outputs>& parts) {
    const Shape& s = problem_.shape;
    for (index i = 0; i < parts.front().out.view().rows(read_.batch); ++i) {
      auto& used = read_.used.emplace_back();
      auto& right = read_.right.emplace_back();
      auto& seen = visible_.emplace_back();
      const bool by_convention =
          trial_.conventions().empty_rows != EmptyRows::zero && visible.count(read_.batch, read_.head, i) == 0;
      for (index j = 0; j < s.keys; ++j) {
        const Pair at{read_.batch, read_.head, i, j};
        const ConstView out = parts[static_cast<std::size_t>(j / s.value_dim)].out.view();
        const double weight = by_convention ? 0 : out.value(at.batch, at.head, i, j % s.value_dim);
        if (!(weight >= 0) || std::isinf(weight)) return false;
        used.push_back(weight != 0);
        seen.push_back(visible(at));
        right.push_back(seen.back() && (!dropout_ || dropout_.keeps(at)));
      }
      const bool uses_none = std::find(used.begin(), used.end(), true) == used.end();
      const double log_sum_exp = parts.front().log_sum_exp.view().value(read_.batch, read_.head, i, 0);
      const bool says_so = std::isinf(log_sum_exp) && log_sum_exp < 0 && !problem_.score.has_sink();
      if (uses_none && used != right && !says_so && !dropout_) return false;
    }
    return true;
  }

  /// True if the picture gives the kernel's answer on other inputs: one key's score is raised, and only its V is not 0;
  /// and where V is 0, O is.
  bool confirmed() {
    for (const index key : keys_to_confirm())
      if (!confirmed(key)) return false;
    const Inputs nothing_shown = one_key_shown(problem_, {-1, -1, -1}, normal_others(problem_));
    const auto weights = weights_of(trial_, nothing_shown, read_.batch, read_.head);
    return weights && std::all_of(weights->begin(), weights->end(), [](double weight) { return weight == 0; });
  }

  const MaskReadOut& picture() const { return read_; }

 private:
  /// The first key and the last, and those at which the picture is not what it should be, evenly thinned if many.
  std::vector<index> keys_to_confirm() const {
    std::vector<index> differ;
    for (index j = 0; j < problem_.shape.keys; ++j)
      for (std::size_t i = 0; i < read_.used.size(); ++i)
        if (read_.used[i][static_cast<std::size_t>(j)] != read_.right[i][static_cast<std::size_t>(j)]) {
          differ.push_back(j);
          break;
        }
    const std::size_t step = differ.size() / (most_second_probes - 2) + 1;
    std::set<index> keys{0, problem_.shape.keys - 1};
    for (std::size_t n = 0; n < differ.size(); n += step) keys.insert(differ[n]);
    return {keys.begin(), keys.end()};
  }

  bool confirmed(index key) {
    const KeyRow shown = key_row(problem_, read_.batch, read_.head, key);
    const double scale = problem_.scale(), q_k = scale == 0 ? 0 : problem_.input.round(1 / scale);
    const Inputs inputs =
        one_key_shown(problem_, shown, [&, others = normal_others(problem_)](const Element& at) -> double {
          if (at.tensor == TensorName::query) return at.channel == 0 ? 1 : 0;
          if (at.tensor != TensorName::key) return others(at);
          return at.batch == shown.batch && at.head == shown.kv_head && at.row == key && at.channel == 0 ? q_k : 0;
        });
    const auto weights = weights_of(trial_, inputs, read_.batch, read_.head);
    if (!weights) return false;
    const Bias bias(problem_, inputs);
    const double raw = q_k * scale;
    const auto cap = problem_.score.softcap();
    const double raised = cap ? *cap * std::tanh(raw / *cap) : raw;
    for (std::size_t i = 0; i < weights->size(); ++i) {
      const auto [weight, largest] = expected(static_cast<index>(i), key, raised, bias, inputs);
      const double allowed = coarsest_rounding(problem_, largest);
      if (!(allowed < too_coarse) || !(std::abs((*weights)[i] - weight) <= allowed * weight)) return false;
    }
    return true;
  }

  /// The weight of the key by the picture, and the largest score of the row by its absolute value. Dropped pairs are in
  /// the denominator, though the picture cannot show them.
  std::pair<double, double> expected(index query, index key, double raised, const Bias& bias,
                                     const Inputs& inputs) const {
    const auto row = static_cast<std::size_t>(query);
    const double sink = inputs.sink ? inputs.sink->view().value(0, read_.head, 0, 0) : 0;
    double sum = inputs.sink ? std::exp(sink) : 0, largest = std::abs(sink), own = 0;
    for (index j = 0; j < problem_.shape.keys; ++j) {
      const auto column = static_cast<std::size_t>(j);
      if (!read_.used[row][column] && !(dropout_ && visible_[row][column])) continue;
      const double score = (j == key ? raised : 0) + (bias ? bias.of({read_.batch, read_.head, query, j}) : 0);
      sum += std::exp(score);
      largest = std::max(largest, std::abs(score));
      if (j == key && read_.used[row][column]) own = std::exp(score) * (dropout_ ? dropout_.factor() : 1);
    }
    return {own == 0 ? 0 : own / sum, largest};
  }

  Trial& trial_;
  const Problem& problem_;
  const Dropout dropout_;
  MaskReadOut read_;
  std::vector<std::vector<bool>> visible_;  // before dropout
};

/// O with the columns of the identity as V, so many at once as it has channels; none where weights would vanish.
std::optional<std::vector<Outputs>> parts_shown(Trial& trial) {
  const Problem& problem = trial.problem();
  std::vector<Outputs> parts;
  for (index first = 0; first < problem.shape.keys; first += problem.shape.value_dim) {
    const Inputs inputs = weights_shown(problem, first);
    if (!weights_survive(problem, inputs)) return std::nullopt;
    parts.push_back(trial.run(inputs).outputs);
  }
  return parts;
}

/// True if the kernel shows the same picture once more: a picture that depends on the moment is no mask.
bool shown_again(Trial& trial, const VisiblePairs& visible, const MaskReadOut& picture) {
  MaskProbe again(trial, picture.batch, picture.head);
  return again.read(visible, *parts_shown(trial)) && again.picture().used == picture.used;
}

}  // namespace

Inputs weights_shown(const Problem& problem, index first) {
  Inputs inputs = filled_forward(problem, [others = normal_others(problem)](const Element& at) {
    return at.tensor == TensorName::bias || at.tensor == TensorName::sink ? others(at) : 0;
  });
  show_weights(inputs, first);
  return inputs;
}

void show_weights(Inputs& inputs, index first) {
  inputs.value.fill_code(0);
  const View value = inputs.value.view();
  const auto& [batches, heads, rows, channels] = value.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index c = 0; c < std::min(channels, value.rows(b) - first); ++c) value.set(b, h, first + c, c, 1);
}

std::optional<MaskReadOut> wrong_mask(const Kernel& kernel, const Problem& problem) {
  const Shape& s = problem.shape;
  if (s.keys == 0 || s.keys > most_keys || s.queries > most_queries) return std::nullopt;
  Problem forward = problem;
  forward.drop_gradients(), forward.wants.clear();
  Trial trial(kernel, forward);
  const bool shows_what_is_missing = !kernel.numerics(forward).value.codes.happen();
  const auto parts = parts_shown(trial);
  if (!parts) return std::nullopt;
  const VisiblePairs visible(forward, weights_shown(forward, 0));
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h) {
      MaskProbe probe(trial, b, h);
      if (!probe.read(visible, *parts) || probe.picture().differing_queries().empty()) continue;
      if (probe.picture().misses_keys() && !shows_what_is_missing) continue;
      if (probe.confirmed() && shown_again(trial, visible, probe.picture())) return probe.picture();
    }
  return std::nullopt;
}

}  // namespace attestone::inline conformance
