// SPDX-License-Identifier: Apache-2.0
// Covering arrays counted by somebody else, and designed problems classified by definitions of their own.
#include "conformance/problems/design.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

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
  EXPECT_EQ(covering_array(task_with_gaps()).rows, covering_array(task_with_gaps()).rows);
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

/// The regime of a problem along some axes, from its text and extents alone.
std::map<std::string, std::string> classified(const Problem& problem) {
  const Shape& s = problem.shape;
  const std::string text = " " + problem.text() + " ";
  const auto field = [&](const std::string& name, const std::string& otherwise) {
    const std::size_t at = text.find(" " + name + "=");
    if (at == std::string::npos) return otherwise;
    const std::size_t begin = at + name.size() + 2;
    return text.substr(begin, text.find(' ', begin) - begin);
  };
  std::map<std::string, std::string> all;
  all["dim"] = s.dim > 128 ? "very_wide" : s.dim > 64 ? "wide" : s.dim % 8 ? "odd" : "usual";
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
  all["batch"] = s.batch == 1 ? "one" : s.batch < 4 ? "few" : "many";
  all["fill"] = field("fill", "normal");
  const bool backward = field("pass", "forward") != "forward";
  all["pass"] = !backward ? "forward" : field("deterministic", "1") == "0" ? "in_any_order" : "backward";
  const std::string wants = field("wants", ""), layout = "+" + field("layout", "bhsd") + "+";
  const std::map<std::string, std::string> alone{{"", "all"},
                                                 {"out", "out"},
                                                 {"log_sum_exp", "log_sum_exp"},
                                                 {"dquery", "query_gradient"},
                                                 {"dkey", "key_gradient"},
                                                 {"dvalue", "value_gradient"},
                                                 {"dbias", "bias_gradient"},
                                                 {"dsink", "sink_gradient"}};
  const auto own = alone.find(wants);
  all["wants"] = own != alone.end()                          ? own->second
                 : wants.find("dquery") == std::string::npos ? "no_query_gradient"
                 : wants.find("dkey") == std::string::npos   ? "no_key_gradient"
                                                             : "no_value_gradient";
  const std::size_t far = layout.find("/sparse+");
  all["far"] =
      far == std::string::npos ? "none" : layout.substr(layout.rfind('+', far) + 1, far - layout.rfind('+', far) - 1);
  all["spare_rows"] = field("spare_rows", "none") == "none" ? "none" : "some";
  const std::map<std::string, std::string> threads{{"0", "as_there_are"}, {"1", "one"}, {"2", "two"}, {"3", "three"}};
  const auto few = threads.find(field("threads", "0"));
  all["threads"] = few == threads.end() ? "more_than_tiles" : few->second;
  const std::string dropout = field("dropout", "0");
  all["dropout"] = dropout == "0" ? "none" : dropout == "0.9" ? "most" : "some";
  return all;
}

TEST(Design, MeetsEveryTwoRegimesThatCan) {
  const Design design = designed({});
  std::set<std::string> met, values;
  std::map<std::string, std::set<std::string>> of_axis;
  for (const Problem& problem : design.problems) {
    EXPECT_EQ(parse_problem(problem.text()), problem);
    const auto own = classified(problem);
    for (const auto& [axis, value] : own) of_axis[axis].insert(value);
    for (const auto& [one, of_one] : own)
      for (const auto& [other, of_other] : own)
        met.insert(fmt::format("{}={} with {}={}", one, of_one, other, of_other));
  }
  std::size_t missing = 0;
  for (const auto& [one, of_one] : of_axis)
    for (const auto& [other, of_other] : of_axis)
      for (const std::string& a : of_one)
        for (const std::string& b : of_other) {
          const std::string pair = fmt::format("{}={} with {}={}", one, a, other, b);
          const bool is_listed = std::ranges::count(design.impossible, pair) > 0;
          const std::string turned = fmt::format("{}={} with {}={}", other, b, one, a);
          const bool is_listed_turned = std::ranges::count(design.impossible, turned) > 0;
          if (one == other || met.count(pair)) continue;
          ++missing;
          EXPECT_TRUE(is_listed || is_listed_turned) << pair;
        }
  EXPECT_LT(missing, 200u);
  EXPECT_EQ(of_axis["keys"].size(), 7u);
  EXPECT_EQ(of_axis["queries"].size(), 6u);
}

TEST(Design, IsTheSameEachTime) {
  EXPECT_EQ(designed({}).problems, designed({}).problems);
  EXPECT_NE(designed({.seed = 2, .in_threes = {}}).problems, designed({}).problems);
}

}  // namespace
}  // namespace attestone
