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
  if (method == "double_ring") return {"inner", "outer"};
  if (method == "ulysses") return {"ulysses"};
  if (method == "two_dimensional") return {"ulysses", "ring"};
  return {"ring"};
}

/// Every method that there is.
inline std::vector<std::string> all_methods() {
  return {"ring",       "ulysses",    "two_dimensional",    "all_gather", "double_ring",
          "token_ring", "split_keys", "ring_bidirectional", "open_line"};
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

/// One setting of the ring away from the default, and two in which several meet.
inline std::vector<std::string> ring_variants() {
  return {"",
          ":hops=all",
          ":hops=first",
          ":messages=fused",
          ":placement=zigzag",
          ":placement=striped",
          ":merge=rescaled_sums",
          ":merge=fixed_maximum",
          ":parts=output",
          ":gradients=output",
          ":payload=int8",
          ":payload=e4m3",
          ":hops=all:messages=fused:placement=striped:parts=output:gradients=output",
          ":messages=fused:placement=zigzag:merge=rescaled_sums:gradients=output",
          ":hops=first:messages=fused:placement=zigzag:parts=output:gradients=output"};
}

inline std::vector<std::string> ulysses_variants() {
  return {"",
          ":heads=uneven",
          ":kv=copied",
          ":kv=copied:copied_gradients=output",
          ":heads=uneven:kv=copied",
          ":chunks=2",
          ":heads=uneven:chunks=3",
          ":kv=copied:chunks=2"};
}

/// Settings of a method that is a ring in some other way: the ring's settings that it has, alone and together.
inline std::vector<std::string> variants_of_rings(const std::string& method) {
  if (method == "all_gather")
    return {"",
            ":placement=zigzag",
            ":placement=striped",
            ":gradients=output",
            ":chunks=2",
            ":placement=zigzag:gradients=output:chunks=3"};
  std::vector<std::string> all{"",
                               ":placement=zigzag",
                               ":placement=striped",
                               ":merge=rescaled_sums",
                               ":parts=output",
                               ":placement=zigzag:parts=output",
                               ":placement=striped:merge=rescaled_sums"};
  if (method == "token_ring" || method == "split_keys") return all;
  all.insert(all.end(), {":messages=fused", ":gradients=output",
                         ":messages=fused:placement=striped:parts=output:gradients=output"});
  if (method == "open_line")
    all.insert(all.end(),
               {":sums=reflecting", ":messages=fused:placement=striped:parts=output:gradients=output:sums=reflecting"});
  return all;
}

/// All programs of a method, as "ring:hops=all". For two_dimensional, the programs of its halves, and one of both
/// together.
inline std::vector<std::string> all_programs(const std::string& method) {
  const bool is_ring = method == "ring", is_ulysses = method == "ulysses", is_both = method == "two_dimensional";
  std::vector<std::string> all;
  if (!is_ring && !is_ulysses && !is_both)
    for (const std::string& variant : variants_of_rings(method)) all.push_back(method + variant);
  if (is_ring || is_both)
    for (const std::string& variant : ring_variants()) all.push_back(method + variant);
  if (is_ulysses) all.push_back(method);
  if (is_ulysses || is_both)
    for (const std::string& variant : ulysses_variants())
      if (!variant.empty()) all.push_back(method + variant);
  if (is_both)
    all.push_back(method + ":kv=copied:copied_gradients=output:placement=zigzag:parts=output:gradients=output");
  return all;
}

}  // namespace attestone
