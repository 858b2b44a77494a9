// SPDX-License-Identifier: Apache-2.0
// Kernels on meshes, by their text; and random ones.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <random>
#include <string>

#include "backends/catalogue.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"
#include "simulate/world/mesh_kernel.hpp"
#include "tests/random_settings.hpp"

namespace attestone {

inline Mesh mesh_of(const std::string& text) {
  Scanner in(text);
  return read_mesh(in);
}

/// "ring:placement=zigzag" on "ring:4". Devices run the local kernel that is named, or else the method's own.
inline std::shared_ptr<const MeshKernel> on_mesh(const std::string& program, const std::string& mesh,
                                                 MeshEvents events = {}, const std::string& local = "") {
  const std::string& named = local.empty() ? find_rank_program(program)->local : local;
  return std::make_shared<const MeshKernel>(make_rank_program(program), make_kernel(named), mesh_of(mesh), events);
}

/// A method, and the devices that it runs on: at most 12.
struct MethodOnMesh {
  std::string program, mesh;
};

/// So many devices along each axis of the method and along `batch`, in any order: at most 12.
inline std::string random_mesh(const RankProgram& method, std::mt19937_64& random) {
  const auto below = [&](index n) { return static_cast<index>(random() % static_cast<std::uint64_t>(n)); };
  std::vector<std::string_view> axes = method.axes();
  std::ranges::shuffle(axes, random);
  index most = 12;
  std::vector<std::string> sizes;
  for (const std::string_view axis : axes) {
    const index devices =
        axis == "batch" ? 1 + below(4) / 3 : 1 + below(axes.size() > 2 ? std::min<index>(4, most) : most);
    if (devices > most || (axis == "batch" && devices == 1)) continue;
    most /= devices;
    sizes.push_back(fmt::format("{}:{}", axis, devices));
  }
  return fmt::format("{}", fmt::join(sizes, "+"));
}

/// A method with random settings, which need not fit together on that mesh.
inline MethodOnMesh random_method(const RankProgramEntry& entry, std::mt19937_64& random) {
  while (true) {
    const std::string program = with_random_settings(std::string(entry.name), entry.settings, random);
    try {
      return {program, random_mesh(*make_rank_program(program), random)};
    } catch (const UserError&) {
      // Such values do not fit together: others are drawn.
    }
  }
}

/// Any method, those of other systems among them.
inline MethodOnMesh random_method(std::mt19937_64& random) {
  const auto& all = Registry<RankProgramEntry>::all();
  const auto drawn = static_cast<std::ptrdiff_t>(random() % all.size());
  return random_method(std::next(all.begin(), drawn)->second, random);
}

}  // namespace attestone
