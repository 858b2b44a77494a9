// SPDX-License-Identifier: Apache-2.0
// Every mesh of a few devices, and the settings of every method that change what it computes or sends.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "reference/shape.hpp"

namespace attestone {

/// Axes by name, and how many devices lie along each: the ones of several devices in this order.
struct GridMesh {
  std::string text;
  index ring = 1, ulysses = 1, batch = 1;

  index devices() const { return ring * ulysses * batch; }
};

namespace all_meshes_detail {

/// The axes of several devices in each of their orders; if there are none, the method's first axis.
inline void add_orders(std::vector<GridMesh>& all, const GridMesh& sizes, const std::string& first_axis) {
  std::vector<std::string> axes;
  if (sizes.batch > 1) axes.push_back(fmt::format("batch:{}", sizes.batch));
  if (sizes.ring > 1) axes.push_back(fmt::format("ring:{}", sizes.ring));
  if (sizes.ulysses > 1) axes.push_back(fmt::format("ulysses:{}", sizes.ulysses));
  if (axes.empty()) axes.push_back(fmt::format("{}:1", first_axis));
  do {  // from the sorted one on
    GridMesh mesh = sizes;
    mesh.text = fmt::format("{}", fmt::join(axes, "+"));
    all.push_back(mesh);
  } while (std::next_permutation(axes.begin(), axes.end()));
}

}  // namespace all_meshes_detail

/// Every mesh of at most so many devices along the axes of a method, a batch axis among them, in every order.
inline std::vector<GridMesh> all_meshes(const std::string& method, index most) {
  const index most_ring = method == "ulysses" ? 1 : most, most_ulysses = method == "ring" ? 1 : most;
  std::vector<GridMesh> all;
  for (index ring = 1; ring <= most_ring; ++ring)
    for (index ulysses = 1; ulysses <= most_ulysses && ring * ulysses <= most; ++ulysses)
      for (index batch = 1; ring * ulysses * batch <= most; ++batch)
        all_meshes_detail::add_orders(all, {"", ring, ulysses, batch}, method == "ring" ? "ring" : "ulysses");
  return all;
}

/// One setting of the ring away from the default, and two in which several meet.
inline std::vector<std::string> ring_variants() {
  return {"",
          ":hops=all",
          ":messages=fused",
          ":placement=zigzag",
          ":placement=striped",
          ":merge=rescaled_sums",
          ":parts=output",
          ":gradients=output",
          ":hops=all:messages=fused:placement=striped:parts=output:gradients=output",
          ":messages=fused:placement=zigzag:merge=rescaled_sums:gradients=output"};
}

inline std::vector<std::string> ulysses_variants() {
  return {"", ":heads=uneven", ":kv=copied", ":kv=copied:copied_gradients=output", ":heads=uneven:kv=copied"};
}

/// "ring:hops=all" and so on: all of them; of two_dimensional those of its halves, and one of both together.
inline std::vector<std::string> all_programs(const std::string& method) {
  std::vector<std::string> all;
  if (method != "ulysses")
    for (const std::string& variant : ring_variants()) all.push_back(method + variant);
  if (method == "ulysses") all.push_back(method);
  if (method != "ring")
    for (const std::string& variant : ulysses_variants())
      if (!variant.empty()) all.push_back(method + variant);
  if (method == "two_dimensional")
    all.push_back(method + ":kv=copied:copied_gradients=output:placement=zigzag:parts=output:gradients=output");
  return all;
}

}  // namespace attestone
