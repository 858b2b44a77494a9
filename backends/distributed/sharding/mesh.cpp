// SPDX-License-Identifier: Apache-2.0
// Places on a mesh, and reading one.
#include "backends/distributed/sharding/mesh.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "reference/user_error.hpp"

namespace attestone::inline backends {

std::span<const MeshAxisWord> mesh_axes() {
  static constexpr auto all = std::to_array<MeshAxisWord>({
      {"batch", "sequences lie on several devices"},
      {"ulysses", "rows become heads by an all-to-all exchange, and rows again"},
      {"ring", "keys and values go round a ring of devices"},
      {"inner", "the ring within a group of a double ring"},
      {"outer", "the ring of groups of a double ring"},
  });
  return all;
}

index Mesh::devices() const {
  index all = 1;
  for (const MeshAxis& axis : axes_) all *= axis.devices;
  return all;
}

index Mesh::devices(std::string_view axis) const {
  const auto found = std::ranges::find(axes_, axis, &MeshAxis::name);
  return found == axes_.end() ? 1 : found->devices;
}

index Mesh::place(index rank, std::string_view axis) const {
  for (const MeshAxis& own : axes_) {
    if (own.name == axis) return rank % own.devices;
    rank /= own.devices;
  }
  return 0;
}

Group Mesh::group(index rank, std::string_view axis) const {
  index distance = 1;
  for (const MeshAxis& own : axes_) {
    if (own.name == axis) break;
    distance *= own.devices;
  }
  Group group{std::string(axis), {}, place(rank, axis)};
  for (index i = 0; i < devices(axis); ++i) group.members.push_back(rank + (i - group.place) * distance);
  return group;
}

index Mesh::place_of(index rank) const {
  return place(rank, "ring") + place(rank, "inner") + place(rank, "outer") * devices("inner");
}

Group Mesh::ring(index rank) const {
  Group ring{"ring", std::vector<index>(static_cast<std::size_t>(places())), place_of(rank)};
  for (const index outer : group(rank, "outer").members)
    for (const index inner : group(outer, "inner").members)
      for (const index member : group(inner, "ring").members)
        ring.members[static_cast<std::size_t>(place_of(member))] = member;
  return ring;
}

std::string Mesh::text() const {
  std::string text;
  for (const MeshAxis& axis : axes_) text += fmt::format("{}{}:{}", text.empty() ? "" : "+", axis.name, axis.devices);
  return text;
}

std::vector<Mesh> smaller(const Mesh& mesh) {
  std::vector<Mesh> all{Mesh({})};
  for (const MeshAxis& axis : mesh.axes()) {
    const index n = axis.devices;
    std::set<index> counts{n};
    for (const index fewer : {index{1}, index{2}, index{3}, n / 2, n - 1})
      if (fewer > 0 && fewer < n) counts.insert(fewer);
    std::vector<Mesh> longer;
    for (const Mesh& begun : all)
      for (const index count : counts) {
        std::vector<MeshAxis> axes = begun.axes();
        if (count > 1 || n == 1) axes.push_back({axis.name, count});
        longer.emplace_back(std::move(axes));
      }
    all = std::move(longer);
  }
  std::erase(all, mesh);
  if (mesh.devices() > 1) std::ranges::replace(all, Mesh({}), Mesh({{mesh.axes().front().name, 1}}));
  std::ranges::stable_sort(all, {}, [](const Mesh& each) { return each.devices(); });
  return all;
}

Mesh read_mesh(Scanner& in) {
  std::vector<std::string> known;
  for (const MeshAxisWord& word : mesh_axes()) known.emplace_back(word.name);
  std::vector<MeshAxis> axes;
  do {
    const std::size_t begin = in.position();
    const std::string name = in.word("an axis");
    if (std::ranges::find(known, name) == known.end())
      in.fail(begin, fmt::format("'{}' is not an axis", name), did_you_mean(name, known));
    if (std::ranges::find(axes, name, &MeshAxis::name) != axes.end())
      in.fail(begin, fmt::format("'{}' is given twice", name));
    in.expect(':', "between an axis and how many devices it has");
    axes.push_back({name, in.integer("the number of devices", 1)});
  } while (in.take('+'));
  return Mesh(std::move(axes));
}

}  // namespace attestone::inline backends
