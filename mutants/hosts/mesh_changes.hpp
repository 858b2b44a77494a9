// SPDX-License-Identifier: Apache-2.0
// What can be done to a right method from outside: what it is told, what it is handed, and what it answers.
#pragma once

#include <functional>
#include <optional>

#include "backends/changed_kernel.hpp"
#include "mutants/hosts/mesh.hpp"

namespace attestone::inline mutants {

/// Changes of a right method's steps, each of which may be empty.
struct MethodChanges {
  std::function<void(const Rank&, RankInputs&)> inputs = {};
  std::function<void(const Rank&, RankAnswer&)> answer = {};
  std::function<void(const Rank&, RankGradients&)> gradients = {};
  /// Who the method believes to hold which rows of queries, and of keys.
  std::function<std::optional<Shards>(const Rank&)> queries = {}, keys = {};
  /// The local attention: flash, with changes of its own.
  std::function<KernelChanges(const Rank&)> local = {};
};
/// The right method so changed, under the name of the mutant.
SharedKernel mesh_mutant(const std::string& name, const OnMesh& right, MethodChanges);

/// Everything becomes a multiple of itself.
void scale(const Buffer&, double by);
/// The first half of the rows of each sequence and the second one change places, where they are as many.
void exchange_halves(const HeldRows&, const Buffer&);
/// Rows as if every place had neighbouring ones, if that is as many for each; else nothing.
std::optional<Shards> as_blocks(const Shards&, index places);

}  // namespace attestone::inline mutants
