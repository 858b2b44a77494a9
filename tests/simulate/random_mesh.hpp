// SPDX-License-Identifier: Apache-2.0
// Kernels on meshes, by their text; and random ones.
#pragma once

#include <fmt/format.h>
#include <memory>
#include <random>
#include <string>

#include "backends/catalogue.hpp"
#include "simulate/world/mesh_kernel.hpp"

namespace attestone {

inline Mesh mesh_of(const std::string& text) {
  Scanner in(text);
  return read_mesh(in);
}

/// "ring:placement=zigzag" on "ring:4".
inline std::shared_ptr<const MeshKernel> on_mesh(const std::string& program, const std::string& mesh,
                                                 MeshEvents events = {}, const std::string& local = "flash") {
  return std::make_shared<const MeshKernel>(make_rank_program(program), make_kernel(local), mesh_of(mesh), events);
}

/// A method, and the devices that it runs on: at most 12.
struct MethodOnMesh {
  std::string program, mesh;
};

inline MethodOnMesh random_method(std::mt19937_64& random) {
  const auto below = [&](index n) { return static_cast<index>(random() % static_cast<std::uint64_t>(n)); };
  const auto one_of = [&](std::initializer_list<const char*> words) { return words.begin()[below(std::ssize(words))]; };
  const std::string batch = below(4) == 0 ? "+batch:2" : "";
  const index most = batch.empty() ? 12 : 6;
  const std::string heads =
      one_of({"", ":heads=uneven", ":kv=copied", ":heads=uneven:kv=copied", ":kv=copied:copied_gradients=output"}) +
      std::string(one_of({"", "", ":chunks=2", ":chunks=3"}));
  const std::string messages = one_of({"", ":messages=fused"}), gradients = one_of({"", ":gradients=output"});
  const std::string placement = one_of({"", ":placement=zigzag", ":placement=striped"});
  const std::string merge = one_of({"", "", ":parts=output", ":merge=rescaled_sums"});
  const std::string around =
      one_of({"", ":hops=all", ":hops=first:messages=fused", ":merge=fixed_maximum", ":hops=all:merge=fixed_maximum",
              ":payload=int8", ":payload=e4m3", ":hops=all:payload=int8"});
  const bool fixed = around.find("merge") != std::string::npos, fused = around.find("fused") != std::string::npos;
  const std::string settings = around + (fused ? "" : messages) + placement + (fixed ? "" : merge) + gradients;
  switch (below(10)) {
    case 0:
      return {"ulysses" + heads, fmt::format("ulysses:{}{}", 1 + below(4), batch)};
    case 1: {
      const index ulysses = 1 + below(4), ring = 1 + below(most / ulysses);
      return {"two_dimensional" + heads + settings, below(2) == 0
                                                        ? fmt::format("ulysses:{}+ring:{}{}", ulysses, ring, batch)
                                                        : fmt::format("ring:{}+ulysses:{}{}", ring, ulysses, batch)};
    }
    case 2:
      return {"all_gather" + placement + gradients + one_of({"", ":chunks=2", ":chunks=3"}),
              fmt::format("ring:{}{}", 1 + below(most), batch)};
    case 3: {
      const index inner = 1 + below(4), outer = 1 + below(most / inner);
      return {"double_ring" + messages + placement + merge + gradients,
              below(2) == 0 ? fmt::format("inner:{}+outer:{}{}", inner, outer, batch)
                            : fmt::format("outer:{}+inner:{}{}", outer, inner, batch)};
    }
    case 4:
      return {"ring_bidirectional" + messages + placement + merge + gradients,
              fmt::format("ring:{}{}", 1 + below(most), batch)};
    case 5:
      return {"token_ring" + placement + merge, fmt::format("ring:{}{}", 1 + below(most), batch)};
    case 6:
      return {"split_keys" + placement + merge, fmt::format("ring:{}{}", 1 + below(most), batch)};
    case 7:
      return {"open_line" + messages + placement + merge + gradients + one_of({"", ":sums=reflecting"}),
              fmt::format("ring:{}{}", 1 + below(most), batch)};
    default:
      return {"ring" + settings, fmt::format("ring:{}{}", 1 + below(most), batch)};
  }
}

}  // namespace attestone
