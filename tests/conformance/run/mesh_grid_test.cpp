// SPDX-License-Identifier: Apache-2.0
// Every method on every mesh of up to 12 devices, crossed with masks, lengths, heads and formats: right, within its
// traffic and memory, and refused where the table says so.
// slow: judges many problems
#include "tests/conformance/run/mesh_grid.hpp"

#include <gtest/gtest.h>
#include <map>

#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/one_in.hpp"
#include "tests/simulate/random_mesh.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

constexpr index most_devices = 12;

/// Counts of what the grid met. Meshes and programs are those that at least one problem ran on.
struct GridCounts {
  std::set<std::string> programs, meshes, rows, heads, formats;
  std::map<std::string, index> by_mesh;  ///< problems that ran, by mesh
  index problems = 0, cases = 0, refused = 0, inconclusive = 0, failures = 0;
  index undecided_by_codes = 0;  ///< whose bounds are some hundredths

  void add(const GridCell& cell) {
    programs.insert(cell.program), meshes.insert(cell.mesh.text), rows.insert(cell.rows), heads.insert(cell.heads);
    formats.insert(cell.format);
    ++problems, ++by_mesh[cell.mesh.text];
  }
  void print(const std::string& method) const {
    fmt::print(
        "{:<16}{:>3} programs x {:>3} meshes, {} masks and lengths, {} kinds of heads, {} formats, 2 passes: "
        "{} problems, {} cases ({} inconclusive, {} of codes), {} refused as the table says\n",
        method, programs.size(), meshes.size(), rows.size(), heads.size(), formats.size(), problems, cases,
        inconclusive, undecided_by_codes, refused);
  }
};

/// A case of ours that could not tell right from wrong proves nothing; each is counted.
void count(const KernelRun& run, const std::string& line, GridCounts& counts) {
  counts.cases += std::ssize(run.cases);
  for (const Case& one : run.cases) {
    const bool is_coded = run.option.find(":payload=") != std::string::npos;
    (is_coded ? counts.undecided_by_codes : counts.inconclusive) += one.verdict.outcome == Outcome::inconclusive;
    if (one.verdict.outcome == Outcome::failed && ++counts.failures <= 10)
      ADD_FAILURE() << one.verdict.reason << ": " << one.verdict.evidence << "\n"
                    << repro_line(run.option, *one.property, one.problem);
  }
  if (!run.own_failures.empty()) ADD_FAILURE() << run.own_failures.front() << "\n" << line;
  for (const auto& [why, times] : run.refusals) ADD_FAILURE() << "refused in a call: " << why << "\n" << line;
}

/// One cell, by these properties.
void examine_cell(const GridCell& cell, const std::vector<const Property*>& properties, GridCounts& counts) {
  const SharedKernel kernel = on_mesh(cell.program, cell.mesh.text);
  const Support support = kernel->takes(cell.problem);
  const std::string wrong = unexpected(cell.asked(), !support, support.why);
  if (!wrong.empty() && ++counts.failures <= 10) ADD_FAILURE() << wrong << "\n" << asked_line(cell.asked());
  counts.refused += !support;
  if (!support) return;
  counts.add(cell);
  const Candidate candidate(kernel, {fmt::format("--kernel='{}'", cell.program), std::string(cell.mesh.text)});
  const index before = counts.cases;
  const RunOptions options{.problems = {cell.problem}, .properties = properties, .explain = false};
  count(examine(candidate, options), asked_line(cell.asked()), counts);
  EXPECT_GE(counts.cases - before, properties.empty() ? 20 : std::ssize(properties)) << asked_line(cell.asked());
}

const std::vector<const Property*>& bounds() {
  static const std::vector<const Property*> all{Registry<Property>::find("value_bound"),
                                                Registry<Property>::find("gradient_bound")};
  return all;
}

class MeshGrid : public testing::TestWithParam<std::string> {};

/// At night every cell, else some of those that bring new pairs. A refused one brings none, but is looked at as well.
TEST_P(MeshGrid, IsRightOrRefusedAsTheTableSays) {
  const std::string method = GetParam();
  const OneIn part(3);
  GridCounts counts;
  NewPairs pairs;
  for_each_cell(method, most_devices, [&](const GridCell& cell) {
    const bool carried = expected_refusals(cell.asked()).empty();
    const bool chosen = part.is_all() || !carried || pairs.brings(cell);
    if (chosen && part.holds(asked_line(cell.asked()))) examine_cell(cell, bounds(), counts);
  });
  for (const GridMesh& mesh : all_meshes(method, most_devices))
    EXPECT_TRUE(counts.by_mesh[mesh.text] >= 5 || !part.is_all()) << method << " hardly ran on " << mesh.text;
  EXPECT_GE(counts.programs.size(), all_programs(method).size() / (part.is_all() ? 1 : 2));
  EXPECT_EQ(counts.rows.size(), grid_rows().size());
  EXPECT_EQ(counts.inconclusive, 0);
  EXPECT_LE(counts.undecided_by_codes, counts.cases / 100);
  EXPECT_EQ(counts.failures, 0);
  counts.print(method);
}

/// At night every property, on the cells that bring new pairs; else on a few of them.
TEST_P(MeshGrid, HasEveryPropertyWherePairsAreNew) {
  const std::string method = GetParam();
  GridCounts counts;
  NewPairs pairs;
  index number = 0;
  for_each_cell(method, most_devices, [&](const GridCell& cell) {
    if (!expected_refusals(cell.asked()).empty() || !pairs.brings(cell)) return;
    if (++number % effort(100, 1) == 0) examine_cell(cell, {}, counts);
  });
  EXPECT_EQ(counts.failures, 0);
  counts.print(method);
}

INSTANTIATE_TEST_SUITE_P(Methods, MeshGrid, testing::ValuesIn(all_methods()), by_parameter);

}  // namespace
}  // namespace attestone
