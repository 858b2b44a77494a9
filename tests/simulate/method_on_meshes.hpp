// SPDX-License-Identifier: Apache-2.0
// Each method with each of its settings on a mesh where the setting matters: what tables of whole methods go through.
#pragma once

#include "tests/simulate/random_mesh.hpp"

namespace attestone {

/// Methods with their settings, each on a mesh.
inline std::vector<MethodOnMesh> methods_on_meshes() {
  return {{"ring", "ring:4"},
          {"ring:hops=all", "ring:4"},
          {"ring:hops=first", "ring:4"},
          {"ring:hops=to_both_ends", "ring:4"},
          {"ring:messages=fused", "ring:4"},
          {"ring:placement=zigzag", "ring:4"},
          {"ring:placement=striped", "batch:2+ring:3"},
          {"ring:merge=rescaled_sums", "ring:4"},
          {"ring:merge=fixed_maximum", "ring:4"},
          {"ring:payload=int8", "ring:4"},
          {"ring:parts=output:gradients=output", "ring:3+batch:2"},
          {"ulysses", "ulysses:4"},
          {"ulysses:heads=uneven", "ulysses:3"},
          {"ulysses:kv=copied", "ulysses:8"},
          {"ulysses:kv=copied:copied_gradients=output", "batch:2+ulysses:8"},
          {"ulysses:chunks=2", "ulysses:2+batch:2"},
          {"two_dimensional", "ulysses:2+ring:3"},
          {"two_dimensional:chunks=2:placement=zigzag", "ring:2+ulysses:2"},
          {"two_dimensional:messages=fused:placement=zigzag", "ring:3+ulysses:2"},
          {"two_dimensional:heads=uneven:merge=rescaled_sums", "ulysses:3+ring:2"},
          {"two_dimensional:kv=copied:hops=all", "ring:2+batch:2+ulysses:2"},
          {"two_dimensional:hops=first:messages=fused", "ulysses:2+ring:3"},
          {"two_dimensional:hops=all:messages=fused:payload=e4m3", "ulysses:2+ring:3"},
          {"two_dimensional:hops=to_both_ends:merge=rescaled_sums", "ulysses:2+ring:3"},
          {"all_gather", "ring:4"},
          {"all_gather:chunks=3", "ring:4"},
          {"all_gather:placement=zigzag:gradients=output", "ring:3+batch:2"},
          {"double_ring", "inner:3+outer:2"},
          {"double_ring:messages=fused:placement=striped:merge=rescaled_sums", "outer:2+inner:2+batch:2"},
          {"double_ring:parts=output:gradients=output", "inner:2+outer:3"},
          {"token_ring", "ring:4"},
          {"token_ring:placement=zigzag:merge=rescaled_sums", "ring:5"},
          {"token_ring:placement=striped:parts=output", "batch:2+ring:3"},
          {"split_keys", "ring:4"},
          {"split_keys:placement=zigzag:merge=rescaled_sums", "ring:3+batch:2"},
          {"split_keys:placement=striped:parts=output", "ring:5"},
          {"ring_bidirectional", "ring:4"},
          {"ring_bidirectional:messages=fused:placement=zigzag:merge=rescaled_sums", "ring:3+batch:2"},
          {"ring_bidirectional:parts=output:gradients=output", "ring:5"},
          {"open_line", "ring:4"},
          {"open_line:messages=fused:placement=zigzag:merge=rescaled_sums", "batch:2+ring:3"},
          {"open_line:sums=reflecting", "ring:5"},
          {"open_line:parts=output:gradients=output:sums=reflecting", "ring:4"}};
}

/// For each pass that the method has: true if it is the backward pass.
inline std::vector<bool> passes_of(const MethodOnMesh& method) {
  return method.program.find("to_both_ends") == std::string::npos ? std::vector<bool>{false, true}
                                                                  : std::vector<bool>{false};
}

/// A problem that the method carries: more rows than devices, in numbers that no mesh divides.
inline Problem carried_by(const MethodOnMesh& method, const char* fields) {
  const char* passes = passes_of(method).size() > 1 ? "pass=forward+backward" : "";
  return parse_problem(fmt::format("shape=2x8/4x11x13x4 {} {}", passes, fields));
}

}  // namespace attestone
