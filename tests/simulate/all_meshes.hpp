// SPDX-License-Identifier: Apache-2.0
// Every mesh of a few devices, and every method in the settings that its entry holds to be worth judging.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

#include "backends/distributed/method/rank_program.hpp"
#include "reference/registry.hpp"
#include "tests/contains.hpp"

namespace attestone {

/// Axes by name, and how many devices lie along each: the ones of several devices in this order.
struct GridMesh {
  std::string text;
  index ring = 1, ulysses = 1, batch = 1, inner = 1, outer = 1;

  index devices() const { return places() * ulysses * batch; }
  /// To which rows are dealt.
  index places() const { return ring * inner * outer; }
};

namespace all_meshes_detail {

/// The axes of several devices in each of their orders; if there are none, the method's first axis.
inline void add_orders(std::vector<GridMesh>& all, const GridMesh& sizes, const std::string& first_axis) {
  std::vector<std::string> axes;  // sorted
  for (const auto& [name, devices] :
       {std::pair{"batch", sizes.batch}, std::pair{"inner", sizes.inner}, std::pair{"outer", sizes.outer},
        std::pair{"ring", sizes.ring}, std::pair{"ulysses", sizes.ulysses}})
    if (devices > 1) axes.push_back(fmt::format("{}:{}", name, devices));
  if (axes.empty()) axes.push_back(fmt::format("{}:1", first_axis));
  do {  // from the sorted one on
    GridMesh mesh = sizes;
    mesh.text = fmt::format("{}", fmt::join(axes, "+"));
    all.push_back(mesh);
  } while (std::next_permutation(axes.begin(), axes.end()));
}

}  // namespace all_meshes_detail

/// The axes along which a method runs, beside a batch axis; the first one it could be alone on.
inline std::vector<std::string> axes_of(const std::string& method) {
  std::vector<std::string> axes;
  for (const std::string_view axis : make_rank_program(method)->axes())
    if (axis != "batch") axes.emplace_back(axis);
  return axes;
}

namespace all_meshes_detail {

/// The methods that are there when the program begins: tests load others, which misbehave.
inline const std::vector<std::string> bundled = Registry<RankProgramEntry>::names();

}  // namespace all_meshes_detail

/// Our methods: names of other systems are ours within limits.
inline std::vector<std::string> all_methods() {
  std::vector<std::string> all = all_meshes_detail::bundled;
  std::erase_if(all, [](const std::string& name) { return contains(name, "/"); });
  return all;
}

/// Every mesh of at most so many devices along the axes of a method, a batch axis among them, in every order.
inline std::vector<GridMesh> all_meshes(const std::string& method, index most) {
  const std::vector<std::string> axes = axes_of(method);
  const auto along = [&](const char* axis) { return std::ranges::find(axes, axis) == axes.end() ? 1 : most; };
  std::vector<GridMesh> all;
  GridMesh mesh;
  for (mesh.ring = 1; mesh.ring <= along("ring"); ++mesh.ring)
    for (mesh.inner = 1; mesh.inner <= along("inner"); ++mesh.inner)
      for (mesh.outer = 1; mesh.outer <= along("outer"); ++mesh.outer)
        for (mesh.ulysses = 1; mesh.ulysses <= along("ulysses") && mesh.places() * mesh.ulysses <= most; ++mesh.ulysses)
          for (mesh.batch = 1; mesh.devices() <= most; ++mesh.batch)
            all_meshes_detail::add_orders(all, mesh, axes.front());
  return all;
}

/// True if the method has the setting, and the setting the word.
inline bool offers(const std::string& method, std::string_view setting, std::string_view word) {
  for (const Setting& one : Registry<RankProgramEntry>::find(method)->settings)
    if (one.name == setting) return std::ranges::find(one.values.words, word) != one.values.words.end();
  return false;
}

/// "ring", "ring:hops=all" and so on: the method at its fallbacks, and with each of its examples.
inline std::vector<std::string> all_programs(const std::string& method) {
  return with_examples(method, Registry<RankProgramEntry>::find(method)->examples);
}

/// "", ":hops=all" and so on: their settings, but for those without a backward pass.
inline std::vector<std::string> variants_with_gradients(const std::string& method) {
  std::vector<std::string> all;
  for (const std::string& program : all_programs(method))
    if (!contains(program, ":hops=to_both_ends")) all.push_back(program.substr(method.size()));
  return all;
}

}  // namespace attestone
