// SPDX-License-Identifier: Apache-2.0
// What methods refuse, from the table of docs/methods.md ("What is refused") and without asking them.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "reference/problem/problem.hpp"
#include "tests/contains.hpp"
#include "tests/simulate/all_meshes.hpp"

namespace attestone {

/// The abilities of a kernel that devices run.
struct LocalKernel {
  std::string name = "flash";
  bool partials = true;   ///< it can leave an answer undivided
  bool placed = true;     ///< it can be told the numbers of its rows in the whole
  bool gradients = true;  ///< it has a backward pass
  bool merges = false;    ///< it merges parts of its own
};

/// A method with its settings on a mesh, and what it is asked.
struct Asked {
  std::string program;
  GridMesh mesh;
  LocalKernel local;
  Problem problem;

  std::string method() const { return program.substr(0, program.find(':')); }
  bool can_merge() const { return offers(method(), "merge", "rescaled_sums"); }
  bool has(const char* setting) const { return contains(program, setting); }
  bool runs_along(const char* axis) const {
    const std::vector<std::string> axes = axes_of(method());
    return std::ranges::find(axes, axis) != axes.end();
  }
  /// The least number of kv heads and their copies that both the kv heads and the degree of Ulysses divide.
  index least_common() const { return std::lcm(mesh.ulysses, problem.shape.kv_heads); }
  /// True if keys do not travel around the ring in one direction, one hop per step.
  bool go_otherwise() const { return has(":hops=first") || has(":hops=to_both_ends"); }
  bool merges_sums() const { return has(":merge=rescaled_sums") || has(":merge=fixed_maximum"); }
  bool copies() const { return has(":kv=copied") && least_common() > problem.shape.kv_heads; }
};

/// A row of the table: when it refuses, and some words of the refusal.
struct RefusalRow {
  bool (*refuses)(const Asked&);
  const char* says;
};

inline const std::vector<RefusalRow>& refusal_rows() {
  static const std::vector<RefusalRow> rows{
      {[](const Asked& a) { return !a.runs_along("ulysses") && a.mesh.ulysses > 1; },
       "does not run along the axis ulysses"},
      {[](const Asked& a) { return !a.runs_along("ring") && a.mesh.ring > 1; }, "does not run along the axis ring"},
      {[](const Asked& a) { return !a.runs_along("inner") && a.mesh.inner > 1; }, "does not run along the axis inner"},
      {[](const Asked& a) { return !a.runs_along("outer") && a.mesh.outer > 1; }, "does not run along the axis outer"},
      {[](const Asked& a) {
         return a.runs_along("ulysses") && !a.has(":heads=uneven") && !a.has(":kv=copied") &&
                a.problem.shape.kv_heads % a.mesh.ulysses != 0;
       },
       "cannot be dealt evenly"},
      {[](const Asked& a) {
         return a.has(":heads=uneven") && !a.has(":kv=copied") && a.problem.shape.kv_heads < a.mesh.ulysses;
       },
       "are too few for"},
      {[](const Asked& a) {
         return a.has(":kv=copied") && a.mesh.ulysses > 1 && a.problem.shape.heads % a.least_common() != 0;
       },
       "cannot share copied kv heads evenly"},
      {[](const Asked& a) { return a.mesh.places() > 1 && a.merges_sums() && a.has(":parts=output"); },
       "has no parts=output"},
      {[](const Asked& a) { return a.mesh.places() > 1 && a.merges_sums() && !a.local.partials; },
       "answers nothing but finished rows"},
      {[](const Asked& a) { return a.can_merge() && a.mesh.places() > 1 && a.local.merges; },
       "no bound is known of merges within merges"},
      {[](const Asked& a) {
         return (a.problem.dropout > 0 || contains(a.problem.text(), "score=alibi")) && !a.local.placed;
       },
       "numbers queries and keys from 0"},
      {[](const Asked& a) {
         return a.problem.backward && (a.mesh.places() > 1 || a.copies()) && !a.local.placed &&
                a.problem.output != dtype("f32");
       },
       "their shares are added up in f32"},
      {[](const Asked& a) { return a.has(":merge=fixed_maximum") && a.go_otherwise(); },
       "maxima are fixed for keys that go round"},
      {[](const Asked& a) { return a.has(":payload=") && a.go_otherwise(); }, "codes travel with keys that go round"},
      {[](const Asked& a) { return a.has(":payload=") && a.has(":merge=fixed_maximum"); },
       "norms are those of K as it is given"},
      {[](const Asked& a) { return a.problem.backward && a.mesh.places() > 1 && a.has(":hops=to_both_ends"); },
       "as published has no backward pass"},
      {[](const Asked& a) { return a.problem.backward && !a.local.gradients; }, "computes no gradients"}};
  return rows;
}

/// The words of all rows that refuse; empty if no row does.
inline std::vector<std::string> expected_refusals(const Asked& asked) {
  std::vector<std::string> all;
  for (const RefusalRow& row : refusal_rows())
    if (row.refuses(asked)) all.emplace_back(row.says);
  return all;
}

/// The complaint about an answer to what was asked; empty if the table expects that answer.
inline std::string unexpected(const Asked& asked, bool refused, const std::string& why) {
  const std::vector<std::string> expected = expected_refusals(asked);
  if (!refused) return expected.empty() ? "" : fmt::format("not refused, though '{}'", expected.front());
  if (expected.empty()) return fmt::format("refused against the table: {}", why);
  for (const std::string& words : expected)
    if (contains(why, words)) return "";
  return fmt::format("refused for another reason than '{}': {}", expected.front(), why);
}

/// The command line that asks this.
inline std::string asked_line(const Asked& asked) {
  return fmt::format("attestone run --kernel='{}' --mesh={}{} '{}'", asked.program, asked.mesh.text,
                     asked.local.name == "flash" ? "" : fmt::format(" --local={}", asked.local.name),
                     asked.problem.text());
}

}  // namespace attestone
