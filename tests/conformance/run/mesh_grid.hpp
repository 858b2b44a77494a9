// SPDX-License-Identifier: Apache-2.0
// What methods are crossed with: masks and lengths, heads, formats; the cells of a grid, and a covering part of them.
#pragma once

#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulate/refused_on_meshes.hpp"

namespace attestone {

/// A method with its settings, a mesh, and a problem in words.
struct GridCell {
  std::string program;
  GridMesh mesh;
  std::string rows;    ///< mask and lengths: "causal", "ragged"
  std::string heads;   ///< "MQA"
  std::string format;  ///< "bf16"
  Problem problem;

  Asked asked() const { return {program, mesh, {}, problem}; }
};

/// Heads of one mesh by their kind.
struct GridHeads {
  const char* kind;
  index heads, kv_heads;
};

/// Heads that the degree of Ulysses divides, and others that it does not.
inline std::vector<GridHeads> grid_heads(index ulysses) {
  const index some = std::max<index>(ulysses, 2), least_common = std::lcm(ulysses, index{2});
  std::vector<GridHeads> all{{"MHA", some, some}, {"GQA", 2 * some, some}, {"MQA", some, 1}};
  if (ulysses == 1) return all;
  all.push_back({"uneven MHA", ulysses + 1, ulysses + 1});
  all.push_back({"uneven GQA", 2 * (ulysses + 1), ulysses + 1});
  all.push_back({"GQA of copies", least_common, 2});
  return all;
}

inline std::vector<std::string> grid_rows() { return {"full", "causal", "window", "document", "ragged"}; }

/// The mask and the sizes of a cell. Which sizes: one after the other, by its number. They are divided by no mesh, by
/// most, are fewer than the devices, or leave rows without keys; ragged, sequences lack rows, or have none at all.
inline std::string grid_fields(const std::string& rows, const GridHeads& heads, const std::string& format,
                               index number) {
  static const std::vector<std::string> masks{"full", "causal", "window:4:1", "document:3"};
  static const std::vector<std::string> sizes{"13x17x4", "12x12x4", "3x5x4:3", "17x6x3", "1x11x4", "24x24x2"};
  static const std::vector<std::string> lengths{"lengths=17+4 query_lengths=13+2", "lengths=0+9 query_lengths=5+7",
                                                "lengths=3+3 query_lengths=13+1", "lengths=17+16"};
  const auto turn = [&](const std::vector<std::string>& all, index at) {
    return all[static_cast<std::size_t>(at % std::ssize(all))];
  };
  const std::string shape = fmt::format("{}/{}", heads.heads, heads.kv_heads);
  const std::string fields = fmt::format("dtype={} pass=forward+backward", format);
  if (rows == "ragged")
    return fmt::format("shape=2x{}x13x17x4 {} mask={} {}", shape, turn(lengths, number / 4), turn(masks, number),
                       fields);
  const std::string mask = rows == "window"     ? "window:4:1"
                           : rows == "document" ? "document:3"
                           : rows == "causal"   ? "causal"
                                                : "full";
  const index batch = number % 5 == 0 ? 3 : 1 + number % 2;
  return fmt::format("shape={}x{}x{} mask={} {}", batch, shape, turn(sizes, number), mask, fields);
}

/// Every cell of one method; `visit(cell)`.
template <class Visit>
void for_each_cell(const std::string& method, index most_devices, Visit visit) {
  index number = 0;
  for (const GridMesh& mesh : all_meshes(method, most_devices))
    for (const std::string& program : all_programs(method))
      for (const std::string& rows : grid_rows())
        for (const GridHeads& heads : grid_heads(mesh.ulysses))
          for (const char* format : {"f32", "bf16"}) {
            const Problem problem = parse_problem(grid_fields(rows, heads, format, ++number));
            visit(GridCell{program, mesh, rows, heads.kind, format, problem});
          }
}

/// Chooses cells that bring a pair which none before them had: mesh and mask, settings and mask, settings and heads,
/// mask and heads, format and settings.
class NewPairs {
 public:
  bool brings(const GridCell& cell) {
    const index before = std::ssize(met_);
    met_.insert({cell.mesh.text, cell.rows});
    met_.insert({cell.program, cell.rows});
    met_.insert({cell.program, cell.heads});
    met_.insert({cell.program, cell.format});
    met_.insert({cell.rows, cell.heads});
    met_.insert({cell.mesh.text, cell.format});
    return std::ssize(met_) > before;
  }
  index met() const { return std::ssize(met_); }

 private:
  std::set<std::pair<std::string, std::string>> met_;
};

}  // namespace attestone
