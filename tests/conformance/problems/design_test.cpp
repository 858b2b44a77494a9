// SPDX-License-Identifier: Apache-2.0
// Covering arrays counted by somebody else, and designed problems classified by definitions of their own.
#include "conformance/problems/design.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "conformance/problems/coverage.hpp"
#include "conformance/problems/covering_array.hpp"

namespace attestone {
namespace {

/// Three axes exclude each other's values here and there.
CoveringTask task_with_gaps() {
  CoveringTask task;
  task.values = {3, 4, 2, 5, 6, 3};
  task.together = all_sets({0, 1, 2, 3, 4, 5}, 2);
  for (auto& three : all_sets({1, 3, 4}, 3)) task.together.push_back(three);
  task.possible = [](const CoveringRow& row) {
    return !(row[0] == 2 && row[4] == 5) && !(row[1] == 3 && row[3] == 0 && row[4] != no_value && row[4] > 2);
  };
  return task;
}

TEST(CoveringArray, HoldsEveryCombinationThatCanBe) {
  const CoveringTask task = task_with_gaps();
  const CoveringArray array = covering_array(task);
  std::size_t missing = 0;
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = a + 1; b < 6; ++b) {
      std::set<std::pair<std::size_t, std::size_t>> met;
      for (const CoveringRow& row : array.rows) met.emplace(row[a], row[b]);
      missing += task.values[a] * task.values[b] - met.size();
    }
  std::set<std::array<std::size_t, 3>> threes;
  for (const CoveringRow& row : array.rows) threes.insert({row[1], row[3], row[4]});
  EXPECT_EQ(missing, 1u) << "the last values of the first and the fifth axis";
  EXPECT_EQ(threes.size(), 4u * 5 * 6 - 3);
  EXPECT_EQ(array.impossible.size(), 4u);
  for (const CoveringRow& row : array.rows) EXPECT_TRUE(task.possible(row));
  EXPECT_LE(array.rows.size(), 4u * 5 * 6);
}

TEST(CoveringArray, FollowsFromItsTask) {
  const auto once = covering_array(task_with_gaps()), again = covering_array(task_with_gaps());
  EXPECT_EQ(once.rows, again.rows);
  CoveringTask other = task_with_gaps();
  other.seed = 2;
  EXPECT_NE(covering_array(other).rows, covering_array(task_with_gaps()).rows);
}

TEST(CoveringArray, SaysWhatIsImpossible) {
  CoveringTask task{{2, 2}, {{0, 1}}, [](const CoveringRow& row) { return row[0] != 1 || row[1] != 0; }};
  const CoveringArray array = covering_array(task);
  ASSERT_EQ(array.impossible.size(), 1u);
  EXPECT_EQ(array.impossible[0], (Combination{{0, 1}, {1, 0}}));
  EXPECT_EQ(array.rows.size(), 3u);
}

using Regimes = std::map<std::string, std::string>;

/// The words of a problem's text, "fill" and what stands behind it.
class Words {
 public:
  explicit Words(const Problem& problem) : text_(" " + problem.text() + " ") {}
  std::string operator()(const std::string& name, const std::string& otherwise) const {
    const std::size_t at = text_.find(" " + name + "=");
    if (at == std::string::npos) return otherwise;
    const std::size_t begin = at + name.size() + 2;
    return text_.substr(begin, text_.find(' ', begin) - begin);
  }

 private:
  std::string text_;
};

std::string mask_regime(const std::string& mask) {
  if (mask.find_first_of("&|~") != std::string::npos) return "combined";
  if (!mask.starts_with("window:")) return mask == "causal:top_left" ? mask : mask.substr(0, mask.find(':'));
  if (mask.ends_with(":0")) return "window";
  return mask.starts_with("window:-1") ? "window_right" : mask.ends_with(":-1") ? "window_left" : "window_both";
}

/// "softcap:5&bias:full" is softcap_and_bias, "bias:full" alone is bias_full.
std::string score_regime(std::string score) {
  std::string all;
  const bool alone = score.find('&') == std::string::npos;
  while (!score.empty()) {
    const std::string term = score.substr(0, score.find('&'));
    score.erase(0, std::min(score.size(), term.size() + 1));
    const std::string name = term.substr(0, term.find(':'));
    all += (all.empty() ? "" : "_and_") + name;
    if (name == "bias" && alone) all += "_" + term.substr(5);
  }
  return all;
}

std::string lengths_regime(const std::string& keys, const std::string& queries) {
  const auto has_empty = [](const std::string& lengths) {
    return ("+" + lengths + "+").find("+0+") != std::string::npos;
  };
  if (keys.empty()) return queries.empty() ? "whole" : "queries";
  if (queries.empty()) return "keys";
  return has_empty(keys) && has_empty(queries) ? "empty" : "both";
}

std::string heads_regime(const Shape& s) {
  const index group = s.heads / s.kv_heads;
  if (s.heads == 1) return "one";
  if (group > 16) return "wide_groups";
  if (s.heads >= 12) return "many";
  return group == 1 ? "own" : group == 2 || group == 4 || group == 8 ? "groups" : "odd_groups";
}

/// True if a tensor has a layout of its own. One whose rows only lie far apart ("/sparse") does not count.
bool lie_apart(std::string layout) {
  for (std::size_t far; (far = layout.find("/sparse")) != std::string::npos;) {
    const std::size_t begin = layout.rfind('+', far);
    layout.erase(begin, far + std::string("/sparse").size() - begin);
  }
  return layout.find('+') != std::string::npos;
}

/// The regimes of a problem along most axes, from its text and extents alone.
Regimes classified(const Problem& problem) {
  const Shape& s = problem.shape;
  const Words field(problem);
  Regimes all;
  all["dim"] = s.dim > 64 && s.dim % 8 ? "odd_wide"
               : s.dim > 128           ? "very_wide"
               : s.dim == 128          ? "128"
               : s.dim > 64            ? "wide"
               : s.dim == 64           ? "64"
               : s.dim % 8             ? "odd"
                                       : "usual";
  all["value_dim"] = s.value_dim == s.dim ? "same" : s.value_dim < s.dim ? "fewer" : "more";
  const std::map<index, std::string> keys{{0, "none"},         {1, "one"},          {14, "few"},   {129, "at_a_tile"},
                                          {320, "some_tiles"}, {700, "many_tiles"}, {4099, "long"}};
  all["keys"] = keys.lower_bound(s.keys)->second;
  all["queries"] = s.queries == 0        ? "none"
                   : s.queries == 1      ? "one"
                   : s.queries < 10      ? "few"
                   : s.queries == s.keys ? "as_keys"
                   : s.queries < s.keys  ? "fewer"
                                         : "more";
  all["batch"] = s.batch == 1 ? "one" : s.batch < 4 ? "few" : s.batch < 8 ? "many" : "dozens";
  all["heads"] = heads_regime(s);
  all["lengths"] = lengths_regime(field("lengths", ""), field("query_lengths", ""));
  all["mask"] = mask_regime(field("mask", "full"));
  all["score"] = score_regime(field("score", "plain"));
  const std::string layout = field("layout", "bhsd");
  all["layout"] = lie_apart(layout) ? "apart" : layout.substr(0, layout.find('+'));
  const std::string format = field("dtype", "f32");
  const std::size_t output = format.find('>');
  all["format"] = output == std::string::npos ? format : format.substr(0, output) + "_to_" + format.substr(output + 1);
  all["fill"] = field("fill", "normal");
  const bool backward = field("pass", "forward") != "forward";
  all["pass"] = !backward ? "forward" : field("deterministic", "1") == "0" ? "in_any_order" : "backward";
  all["wants"] = field("wants", "").empty() ? "all" : "some";
  all["far"] = layout.find("/sparse") == std::string::npos ? "none" : "one";
  all["spare_rows"] = field("spare_rows", "none") == "none" ? "none" : "some";
  const std::map<std::string, std::string> threads{{"0", "as_there_are"}, {"1", "one"}, {"2", "two"}, {"3", "three"}};
  const auto few = threads.find(field("threads", "0"));
  all["threads"] = few == threads.end() ? "more_than_tiles" : few->second;
  const std::string dropout = field("dropout", "0");
  all["dropout"] = dropout == "0" ? "none" : dropout == "0.9" ? "most" : "some";
  return all;
}

/// All sets of one regime each of so many axes, of those that are named, in a form that does not depend on their order.
void add_combinations(const Regimes& own, std::size_t strength, std::vector<std::string> words,
                      std::set<std::string>& all, Regimes::const_iterator from) {
  if (words.size() == strength) {
    all.insert(fmt::format("{}", fmt::join(words, " with ")));
    return;
  }
  for (auto axis = from; axis != own.end(); ++axis) {
    words.push_back(axis->first + "=" + axis->second);
    add_combinations(own, strength, words, all, std::next(axis));
    words.pop_back();
  }
}

/// The words in the order of their axes' names.
std::string in_order(std::string words) {
  std::set<std::string> all;
  for (std::size_t at; (at = words.find(" with ")) != std::string::npos; words.erase(0, at + 6))
    all.insert(words.substr(0, at));
  all.insert(words);
  return fmt::format("{}", fmt::join(all, " with "));
}

/// The number of combinations that no problem of a design has. Each of them must be said to be impossible.
std::size_t missing(const Design& design, std::size_t strength, const std::set<std::string>& axes) {
  std::set<std::string> met, impossible;
  for (const std::string& each : design.impossible) impossible.insert(in_order(each));
  std::map<std::string, std::set<std::string>> of_axis;
  for (const Problem& problem : design.problems) {
    Regimes own = classified(problem);
    std::erase_if(own, [&](const auto& regime) { return !axes.empty() && axes.count(regime.first) == 0; });
    for (const auto& [axis, value] : own) of_axis[axis].insert(value);
    add_combinations(own, strength, {}, met, own.begin());
  }
  std::vector<Regimes> rows{{}};  // every choice of regimes, of any of the axes
  for (const auto& [axis, values] : of_axis)
    for (std::size_t i = 0, known = rows.size(); i < known; ++i)
      if (rows[i].size() < strength)
        for (const std::string& value : values) {
          Regimes more = rows[i];
          more[axis] = value;
          rows.push_back(std::move(more));
        }
  std::size_t count = 0;
  for (const Regimes& row : rows) {
    if (row.size() != strength) continue;
    std::set<std::string> wanted;
    add_combinations(row, strength, {}, wanted, row.begin());
    if (met.count(*wanted.begin())) continue;
    ++count;
    EXPECT_TRUE(impossible.count(*wanted.begin())) << *wanted.begin();
  }
  return count;
}

// slow: searches designs of many axes
TEST(Design, MeetsEveryTwoRegimesThatCan) {
  const Design design = designed({});
  for (const Problem& problem : design.problems) EXPECT_EQ(parse_problem(problem.text()), problem);
  EXPECT_LT(missing(design, 2, {}), 200u);
  std::map<std::string, std::set<std::string>> of_axis;
  for (const Problem& problem : design.problems)
    for (const auto& [axis, value] : classified(problem)) of_axis[axis].insert(value);
  EXPECT_EQ(of_axis["keys"].size(), 7u);
  EXPECT_EQ(of_axis["queries"].size(), 6u);
  EXPECT_GE(of_axis["mask"].size(), 16u);
  EXPECT_GE(of_axis["score"].size(), 15u);
}

// slow: searches designs of many axes
TEST(Design, MeetsEveryThreeOfWhatDecidesTiles) {
  const std::size_t count = missing(designed({}), 3, {"mask", "queries", "lengths", "pass"});
  EXPECT_LT(count, 40u);
}

// slow: searches designs of many axes
TEST(Design, MeetsEveryThreeOfNineAxes) {
  const std::size_t count =
      missing(designed(design_options("design=threes seed=2")), 3,
              {"mask", "score", "queries", "keys", "lengths", "heads", "format", "layout", "pass"});
  EXPECT_LT(count, 1100u);
}

// slow: searches designs of many axes
TEST(Design, ACombinationThatIsTakenOutIsMissed) {
  Design design = designed({});
  std::erase_if(design.problems, [](const Problem& problem) {
    const Regimes own = classified(problem);
    return own.at("mask") == "window" && own.at("heads") == "many";
  });
  EXPECT_NONFATAL_FAILURE(missing(design, 2, {"mask", "heads"}), "heads=many with mask=window");
}

/// Forward passes of masks that are causal or full, in f16, without terms of the score.
bool takes_little(const Problem& problem) {
  return !problem.backward && dtype_text(problem) == "f16" && problem.score == Score() &&
         (problem.mask.is_full() || problem.mask.text() == "causal");
}

// slow: searches designs of many axes
TEST(Design, IsMadeForWhatAKernelTakes) {
  const std::vector<Problem> known = parse_problems(
      "shape=1x2x20x30x16,2x4/2x40x40x32:16 mask=full,causal dtype=f32,f16 pass=forward,forward+backward");
  Design design;
  design.problems = designed_for(takes_little, {}, known);
  EXPECT_GE(design.problems.size(), 100u);
  EXPECT_TRUE(std::ranges::all_of(design.problems, takes_little));
  std::set<std::string> met, fills;
  for (const Problem& problem : design.problems) {
    const Regimes own = classified(problem);
    fills.insert(own.at("fill"));
    met.insert(own.at("keys") + " with " + own.at("queries"));
  }
  EXPECT_GE(fills.size(), 20u);
  for (const char* pair : {"some_tiles with more", "long with few", "none with one", "at_a_tile with as_keys"})
    EXPECT_TRUE(met.count(pair)) << pair;
}

// slow: searches designs of many axes
TEST(Design, IsNotMadeAgainForAKernelThatTakesItAll) {
  const std::vector<Problem> known = parse_problems("shape=1x2x20x30x16");
  EXPECT_TRUE(designed_for([](const Problem&) { return true; }, {}, known).empty());
  EXPECT_TRUE(designed_for([](const Problem&) { return false; }, {}, known).empty());
}

// slow: searches designs of many axes
TEST(Design, IsTheSameEachTime) {
  const auto once = designed({}), again = designed({});
  EXPECT_EQ(once.problems, again.problems);
  EXPECT_NE(designed(design_options("design=pairs seed=2")).problems, designed({}).problems);
}

}  // namespace
}  // namespace attestone
