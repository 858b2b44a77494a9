// SPDX-License-Identifier: Apache-2.0
// Dealing sequences and rows to ranks.
#include "simulate/mesh_shards.hpp"

namespace attestone {
namespace {

/// The lengths of the sequences that lie at a place of the batch axis; the others have none here.
std::vector<index> lengths_at(const Problem& problem, index places, index place, index Sequence::*length) {
  std::vector<index> lengths;
  for (index sequence = 0; sequence < problem.shape.batch; ++sequence)
    lengths.push_back(sequence * places / problem.shape.batch == place ? problem.sequence(sequence).*length : 0);
  return lengths;
}

}  // namespace

MeshShards::MeshShards(const Problem& problem, const Mesh& mesh, const RankProgram& program)
    : mesh_(mesh),
      heads_(problem.shape, mesh.devices("ulysses"), program.copies(problem.shape, mesh.devices("ulysses"))) {
  const Dealing dealing = program.dealing();
  const index batches = mesh.devices("batch"), ring = mesh.places(), ulysses = mesh.devices("ulysses");
  for (index place = 0; place < batches; ++place) {
    queries_.emplace_back(dealing, lengths_at(problem, batches, place, &Sequence::queries), ring, ulysses);
    keys_.emplace_back(dealing, lengths_at(problem, batches, place, &Sequence::keys), ring, ulysses);
  }
}

CostedRank MeshShards::costed(const Problem& problem, index rank, const Kernel& local) const {
  return {.problem = problem,
          .queries = queries(rank),
          .keys = keys(rank),
          .ring = mesh_.places(),
          .ring_place = mesh_.place_of(rank),
          .inner = mesh_.devices("inner"),
          .heads = heads_,
          .ulysses_place = mesh_.place(rank, "ulysses"),
          .keeps_out = !local.takes_parts()};
}

}  // namespace attestone
