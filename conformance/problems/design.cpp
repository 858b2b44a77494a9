// SPDX-License-Identifier: Apache-2.0
// Rows of regimes become problems, axis by axis.
#include "conformance/problems/design.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#include "conformance/problems/covering_array.hpp"
#include "conformance/problems/fill.hpp"
#include "reference/problem/to_come.hpp"
#include "reference/registry.hpp"
#include "reference/scanner.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

struct CrossedAxis {
  const Axis* axis;
  std::vector<Regime> regimes;
};

/// Extents while nothing is chosen: every regime is possible beside one of them.
constexpr Shape before_all[] = {
    {1, 1, 1, 16, 64, 16, 16}, {2, 4, 2, 16, 64, 16, 16}, {1, 2, 2, 24, 24, 16, 16}, {1, 1, 1, 1, 64, 16, 16}};

bool lies_far(const Problem& problem) {
  return std::ranges::count(problem.tensor_layouts, "sparse", &TensorLayout::layout) > 0;
}

/// The cost of judging a problem, in multiply-adds of q.k: pairs and, where these are few, the numbers that are drawn,
/// copied and compared.
index work(const Problem& problem) {
  constexpr index of_a_row = 8, of_a_pair = 16, of_a_far_row = 8192;  // which has pages of memory by itself
  const Shape& s = problem.shape;
  const index query_rows = s.batch * s.heads * s.queries, key_rows = s.batch * s.kv_heads * s.keys;
  const index pairs = query_rows * s.keys + of_a_row * (query_rows + key_rows);
  const index of_far = lies_far(problem) ? (query_rows + key_rows) * of_a_far_row : 0;
  return (problem.backward ? 2 : 1) * (pairs * std::max({s.dim, s.value_dim, of_a_pair}) + of_far);
}

/// True if the problem's text reads back and the problem can be filled and judged.
bool is_sound(const Problem& problem) {
  try {
    check_judged(problem);
    check_fill(problem);
    return parse_problem(problem.text()) == problem;
  } catch (const UserError&) {
    return false;
  }
}

/// Makes problems of rows.
class Maker {
 public:
  explicit Maker(const DesignOptions& options) : options_(options) {
    for (const Axis* axis : axes_in_turn()) {
      std::vector<Regime> regimes = axis->regimes();
      const auto held = options_.held.find(axis->name);
      std::erase_if(regimes, [&](const Regime& regime) {
        return held == options_.held.end() ? regime.large : std::ranges::count(held->second, regime.name) == 0;
      });
      if (options_.takes) std::erase_if(regimes, [&](const Regime& regime) { return !is_taken(regime); });
      if (!regimes.empty()) axes_.push_back({axis, std::move(regimes)});
    }
  }

  const std::vector<CrossedAxis>& axes() const { return axes_; }

  /// A problem of all regimes of the row, as far as they are chosen; nothing if none was found.
  std::optional<Problem> problem(const CoveringRow& row) const {
    constexpr std::uint32_t purpose = 4;
    constexpr int tries = 3;
    Draws draws(options_.seed, purpose, number_of(row));
    for (int attempt = 0; attempt < tries; ++attempt)
      for (const Shape& before : before_all)
        if (auto made = attempted(row, before, draws)) return made;
    return std::nullopt;
  }

 private:
  /// True if some problem that is taken can enter the regime and is still taken.
  bool is_taken(const Regime& regime) const {
    constexpr std::uint32_t purpose = 5;
    Draws draws(options_.seed, purpose, 0);
    return std::ranges::any_of(options_.taken, [&](Problem problem) {
      if (regime.is(problem)) return true;
      regime.enter(problem, draws);
      return regime.is(problem) && is_sound(problem) && options_.takes(problem);
    });
  }

  std::optional<Problem> attempted(const CoveringRow& row, const Shape& before, Draws& draws) const {
    Problem problem;
    problem.shape = before;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i] != no_value) axes_[i].regimes[row[i]].enter(problem, draws);
    if (work(problem) > options_.most_work) return std::nullopt;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i] != no_value && !axes_[i].regimes[row[i]].is(problem)) return std::nullopt;
    if (std::ranges::count(row, no_value) > 0) return problem;
    problem.seed = static_cast<std::uint64_t>(draws.integer(1, 999'999));
    const bool may_be_asked = is_sound(problem) && (!options_.takes || options_.takes(problem));
    return may_be_asked ? std::optional(problem) : std::nullopt;
  }

  index number_of(const CoveringRow& row) const {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < row.size(); ++i) number = number * (axes_[i].regimes.size() + 1) + row[i] + 1;
    return static_cast<index>(number);
  }

  const DesignOptions& options_;
  std::vector<CrossedAxis> axes_;
};

std::string words(const Combination& all, const std::vector<CrossedAxis>& axes) {
  std::string text;
  for (std::size_t i = 0; i < all.axes.size(); ++i) {
    const CrossedAxis& crossed = axes[all.axes[i]];
    text += fmt::format("{}{}={}", i == 0 ? "" : " with ", crossed.axis->name, crossed.regimes[all.values[i]].name);
  }
  return text;
}

/// "2^24".
index power_of_two(Scanner& in) {
  constexpr index most = 40;
  const std::size_t begin = in.position();
  const bool has_base = in.take('2') && in.take('^');
  const index exponent = has_base ? in.integer("the exponent", 0) : most + 1;
  if (exponent > most) in.fail(begin, "the most work of a problem is a power of two", "write work=2^24");
  return index{1} << exponent;
}

/// "one,few" of the axis "queries"; `begin` is where its name stands.
std::vector<std::string> held_regimes(Scanner& in, const std::string& name, std::size_t begin) {
  const Axis* axis = Registry<Axis>::find(name);
  if (!axis)
    in.fail(begin, fmt::format("no axis of designs is called '{}'", name), did_you_mean(name, Registry<Axis>::names()));
  std::vector<std::string> known, held;
  for (const Regime& regime : axis->regimes()) known.push_back(regime.name);
  do {
    const std::size_t value = in.position();
    held.push_back(in.until(" ,"));
    if (std::ranges::count(known, held.back()) == 0)
      in.fail(value, fmt::format("no regime of {} is called '{}'", name, held.back()),
              did_you_mean(held.back(), known));
  } while (in.take(','));
  return held;
}

}  // namespace

DesignOptions design_options(const std::string& line) {
  DesignOptions options;
  Scanner in(line);
  while (!in.done()) {
    if (in.take(' ')) continue;
    const std::size_t begin = in.position();
    const std::string field = in.word("a field");
    in.expect('=', "between a field and its value");
    if (field == "seed") {
      options.seed = in.unsigned_integer("seed");
    } else if (field == "work") {
      options.most_work = power_of_two(in);
    } else if (field != "design") {
      options.held[field] = held_regimes(in, field, begin);
    } else if (const std::size_t value = in.position(); in.until(" ") == "threes") {
      options.in_threes = {"mask", "score", "queries", "keys", "lengths", "heads", "format", "layout", "pass"};
    } else if (line.substr(value, in.position() - value) != "pairs") {
      in.fail(value, "a design crosses pairs or threes", "write design=pairs or design=threes");
    }
  }
  return options;
}

std::vector<const Axis*> axes_in_turn() {
  std::vector<const Axis*> axes;
  for (const auto& [name, axis] : Registry<Axis>::all()) axes.push_back(&axis);
  std::ranges::stable_sort(axes, {}, &Axis::turn);
  return axes;
}

Design designed(const DesignOptions& options) {
  const Maker maker(options);
  const std::vector<CrossedAxis>& axes = maker.axes();
  CoveringTask task;
  for (const CrossedAxis& axis : axes) task.values.push_back(axis.regimes.size());
  std::vector<std::size_t> all(axes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  task.together = all_sets(all, 2);
  std::vector<std::size_t> in_threes;
  for (const std::size_t axis : all)
    if (std::ranges::count(options.in_threes, axes[axis].axis->name) > 0) in_threes.push_back(axis);
  const auto threes = all_sets(in_threes, 3);
  task.together.insert(task.together.end(), threes.begin(), threes.end());
  std::map<CoveringRow, Problem> made;
  task.possible = [&](const CoveringRow& row) {
    auto problem = maker.problem(row);
    if (problem && std::ranges::count(row, no_value) == 0) made.emplace(row, *problem);
    return problem.has_value();
  };
  task.hides = [&](std::size_t axis, std::size_t value) { return axes[axis].regimes[value].hides; };
  task.seed = options.seed;
  const CoveringArray array = covering_array(task);
  Design design;
  for (const CoveringRow& row : array.rows) design.problems.push_back(made.at(row));
  for (const Combination& combination : array.impossible) design.impossible.push_back(words(combination, axes));
  return design;
}

const std::vector<Problem>& problems_of_design(const DesignForAll& design) {
  static std::mutex mutex;  // of what follows
  static std::map<DesignForAll, std::vector<Problem>> made;
  const std::lock_guard lock(mutex);
  if (const auto it = made.find(design); it != made.end()) return it->second;
  return made.emplace(design, designed({design}).problems).first->second;
}

std::vector<Problem> designed_for(const std::function<bool(const Problem&)>& takes, DesignOptions options,
                                  const std::vector<Problem>& known) {
  constexpr std::size_t most_known = 40;
  if (std::ranges::all_of(problems_of_design(options), takes)) return {};
  std::vector<Problem> taken;
  std::ranges::copy_if(known, std::back_inserter(taken), takes);
  if (taken.empty()) return {};
  // Spread over all of them, since problems of one kind stand side by side.
  for (std::size_t i = 0; i < std::min(taken.size(), most_known); ++i)
    options.taken.push_back(taken[i * taken.size() / std::min(taken.size(), most_known)]);
  options.takes = takes;
  return designed(options).problems;
}

}  // namespace attestone::inline conformance
