// SPDX-License-Identifier: Apache-2.0
// Each axis decides whether some fault shows: the table of docs/designs.md, "Why each axis", line for line.
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "conformance/problems/regime.hpp"
#include "conformance/run/run.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

/// "| a | `b` | `c` |" as {"a", "b", "c"}.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (const char letter : line.substr(1)) {
    if (letter == '|') cells.push_back(std::exchange(cell, {}));
    if (letter != '|' && letter != '`' && !(letter == ' ' && cell.empty())) cell += letter;
  }
  for (std::string& text : cells) text.erase(text.find_last_not_of(' ') + 1);
  return cells;
}

/// The rows of the table below "## Why each axis".
std::vector<std::vector<std::string>> rows_of_page() {
  std::ifstream page(source_folder() + "/docs/designs.md");
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == "## Why each axis";
    if (inside && line.starts_with("| ") && !line.starts_with("| axis")) rows.push_back(cells_of(line));
  }
  return rows;
}

std::string regime_along(const Axis& axis, const Problem& problem) {
  for (const Regime& regime : axis.regimes())
    if (regime.is(problem)) return regime.name;
  return "no regime";
}

/// The outcome on this problem of the property that convicts the mutant.
Outcome judged(const Mutant& mutant, const Problem& problem) {
  const KernelRun run =
      examine(mutant.kernel(),
              {.problems = {problem}, .properties = {Registry<Property>::find(mutant.property)}, .explain = false});
  return run.cases.empty() ? Outcome::inconclusive : run.cases.front().verdict.outcome;
}

TEST(NeededAxes, DecideWhetherAFaultShows) {
  std::set<std::string_view> needed;
  for (const std::vector<std::string>& row : rows_of_page()) {
    ASSERT_EQ(row.size(), 4u);
    SCOPED_TRACE(row[0] + ": " + row[1]);
    const Axis* axis = Registry<Axis>::find(row[0]);
    const Mutant* mutant = Registry<Mutant>::find(row[1]);
    ASSERT_TRUE(axis && mutant);
    const Problem shows = parse_problem(row[2]), sleeps = parse_problem(row[3]);
    EXPECT_NE(regime_along(*axis, shows), regime_along(*axis, sleeps));
    EXPECT_EQ(judged(*mutant, shows), Outcome::failed);
    EXPECT_EQ(judged(*mutant, sleeps), Outcome::passed);
    needed.insert(axis->name);
  }
  for (const Axis* axis : axes_in_turn()) EXPECT_TRUE(needed.contains(axis->name)) << axis->name;
}

}  // namespace
}  // namespace attestone
