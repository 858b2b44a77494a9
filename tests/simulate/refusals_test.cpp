// SPDX-License-Identifier: Apache-2.0
// What meshes refuse is what the table says: no more, no less, and in its words.
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "backends/changed_kernel.hpp"
#include "tests/effort.hpp"
#include "tests/places.hpp"
#include "tests/simulate/numbers_from_zero.hpp"
#include "tests/simulate/random_mesh.hpp"
#include "tests/simulate/refused_on_meshes.hpp"

namespace attestone {
namespace {

/// A local kernel, and what the table is told of it.
struct Local {
  LocalKernel features;
  SharedKernel kernel;
};

std::vector<Local> locals() {
  const auto from_zero = [](bool gradients) {
    return std::make_shared<NumbersFromZero>(make_kernel("dense"), gradients);
  };
  return {{{.name = "flash"}, make_kernel("flash")},
          {{.name = "dense", .partials = false}, make_kernel("dense")},
          {{.name = "split:splits=2", .partials = false, .merges = true}, make_kernel("split:splits=2")},
          {{.name = "numbers_from_zero", .partials = false, .placed = false}, from_zero(true)},
          {{.name = "numbers_from_zero", .partials = false, .placed = false, .gradients = false}, from_zero(false)}};
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const char* heads :
       {"1/1", "2/2", "3/3", "4/2", "4/1", "5/5", "6/2", "6/3", "7/7", "8/4", "12/4", "12/12", "13/13", "24/6", "60/5"})
    for (const char* fields : {"dtype=bf16", "pass=forward+backward", "dtype=bf16 pass=forward+backward",
                               "dtype=bf16+bf16+bf16>f32 pass=forward+backward", "dropout=0.1 mask=causal",
                               "score=alibi dtype=bf16 pass=forward+backward"})
      all.push_back(parse_problem(fmt::format("shape=2x{}x5x7x4 {}", heads, fields)));
  return all;
}

/// The settings that any refusal depends on, as far as the method has them, each with each.
std::vector<std::string> programs(const std::string& method) {
  static const std::vector<std::pair<const char*, std::vector<const char*>>> choices{
      {"heads", {"uneven"}}, {"kv", {"copied"}},    {"merge", {"rescaled_sums", "fixed_maximum"}},
      {"parts", {"output"}}, {"payload", {"int8"}}, {"hops", {"first", "to_both_ends"}}};
  std::vector<std::string> all{method};
  for (const auto& [setting, words] : choices)
    for (const std::string& one : std::vector(all))
      for (const char* word : words)
        if (offers(method, setting, word)) all.push_back(fmt::format("{}:{}={}", one, setting, word));
  return all;
}

/// Along the axes of any method.
std::vector<GridMesh> meshes(index most) {
  std::vector<GridMesh> all = all_meshes("two_dimensional", most);
  for (const GridMesh& mesh : all_meshes("double_ring", most))
    if (mesh.inner * mesh.outer > 1) all.push_back(mesh);
  return all;
}

// slow: every method on every mesh
TEST(MeshRefusals, AreThoseOfTheTable) {
  const std::vector<Local> kernels = locals();
  const std::vector<Problem> asked_problems = problems();
  index asked = 0, refused = 0, failures = 0;
  std::map<std::string, std::map<std::string, index>> by_row;
  const index step = effort(73, 1);
  for (const std::string& method : all_methods())
    for (const std::string& program : programs(method))
      for (const GridMesh& mesh : meshes(12)) {
        for (const Local& local : kernels) {
          const MeshKernel kernel(make_rank_program(program), local.kernel, mesh_of(mesh.text));
          for (const Problem& problem : asked_problems) {
            if (++asked % step != 0) continue;
            const Asked one{program, mesh, local.features, problem};
            const Support support = kernel.takes(problem);
            refused += !support;
            for (const std::string& words : expected_refusals(one)) ++by_row[words][method];
            const std::string wrong = unexpected(one, !support, support.why);
            if (!wrong.empty() && ++failures <= 10) ADD_FAILURE() << wrong << "\n" << asked_line(one);
          }
        }
      }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(by_row.size(), refusal_rows().size()) << "a row of the table that nothing falls under";
  fmt::print("{} of {} asked, {} refused\n", asked / step, asked, refused);
  for (const auto& [words, methods] : by_row)
    for (const auto& [method, count] : methods) fmt::print("  {:<38}{:<17}{:>8}\n", words, method, count);
}

/// The cells of the table on the page whose last one says this, between the first and the last.
std::vector<std::string> row_of_page(const std::string& says) {
  std::ifstream page(source_folder() + "/docs/methods.md");
  for (std::string line; std::getline(page, line);) {
    if (!line.ends_with(fmt::format("| {} |", says))) continue;
    std::vector<std::string> cells;
    std::stringstream rest(line.substr(2));
    for (std::string cell; std::getline(rest, cell, '|'); rest.ignore())
      cells.push_back(cell.substr(0, cell.size() - 1));
    return {cells.begin() + 1, cells.end() - 1};
  }
  return {};
}

// slow: every method on every mesh
TEST(MeshRefusals, StandOnThePageByMethod) {
  const std::vector<std::string> methods = row_of_page("message");
  EXPECT_GE(methods.size(), 9u);
  for (const std::string& method : methods) EXPECT_TRUE(Registry<RankProgramEntry>::find(method)) << method;
  const std::vector<Local> kernels = locals();
  const std::vector<Problem> asked_problems = problems();
  std::map<std::string, std::map<std::string, bool>> refused;
  for (const std::string& method : methods)
    for (const std::string& program : programs(method))
      for (const GridMesh& mesh : meshes(effort(3, 4)))
        for (const Local& local : kernels)
          for (const Problem& problem : asked_problems)
            for (const std::string& words : expected_refusals({program, mesh, local.features, problem}))
              refused[words][method] = true;
  for (const RefusalRow& row : refusal_rows()) {
    const std::vector<std::string> on_page = row_of_page(row.says);
    ASSERT_EQ(on_page.size(), methods.size()) << row.says;
    for (std::size_t at = 0; at < methods.size(); ++at)
      EXPECT_EQ(contains(on_page[at], "refused"), refused[row.says][methods[at]]) << methods[at] << ": " << row.says;
  }
}

/// A local kernel is asked for every mask that it would be called with: of causal problems also for none.
TEST(MeshRefusals, AskForAllMasksOfLocalCalls) {
  const auto taking = [](const std::string& mask) {
    return changed(make_kernel("dense"), {.supports = [mask](const Problem& local) {
                     return local.mask.text() == mask ? Support() : Support::refused("takes " + mask + " alone");
                   }});
  };
  struct Call {
    const char *method, *mesh, *problem, *local;
    bool taken;
  };
  const char *square = "shape=1x2x8x8x4 mask=causal", *wide = "shape=1x2x8x9x4 mask=causal", *full = "shape=1x2x8x8x4";
  for (const Call& call : {Call{"ring", "ring:2", square, "causal", false}, Call{"ring", "ring:2", full, "full", true},
                           Call{"ring", "ring:1", square, "causal", true}, Call{"ring", "ring:2", wide, "full", false},
                           Call{"ring:hops=to_both_ends", "ring:2", full, "full", false},
                           Call{"ring:hops=to_both_ends", "ring:1", full, "full", true}}) {
    const MeshKernel kernel(make_rank_program(call.method), taking(call.local), mesh_of(call.mesh));
    EXPECT_EQ(static_cast<bool>(kernel.takes(parse_problem(call.problem))), call.taken)
        << call.method << " " << call.mesh << " " << call.problem << " " << call.local;
  }
}

}  // namespace
}  // namespace attestone
