// SPDX-License-Identifier: Apache-2.0
// Dealing sequences and rows to ranks.
#include "backends/distributed/mesh_kernel/mesh_shards.hpp"

namespace attestone::inline backends {
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
      query_heads_(problem.shape.heads),
      kv_heads_(problem.shape.kv_heads),
      heads_(problem.shape, mesh.devices("ulysses"), program.copies(problem.shape, mesh.devices("ulysses"))) {
  const Dealing dealing = program.dealing();
  const index batches = mesh.devices("batch"), ring = mesh.places(), ulysses = mesh.devices("ulysses");
  for (index place = 0; place < batches; ++place) {
    queries_.emplace_back(dealing, lengths_at(problem, batches, place, &Sequence::queries), ring, ulysses);
    keys_.emplace_back(dealing, lengths_at(problem, batches, place, &Sequence::keys), ring, ulysses);
  }
}

HeldPart MeshShards::own_queries(index rank) const {
  return {queries(rank).of(place(rank), ulysses(rank)), {0, query_heads_ - 1}};
}
HeldPart MeshShards::own_keys(index rank) const {
  return {keys(rank).of(place(rank), ulysses(rank)), {0, kv_heads_ - 1}};
}
HeldPart MeshShards::attended_queries(index rank) const {
  return {queries(rank).of_ring(place(rank)), heads_.of(ulysses(rank)).query};
}
HeldPart MeshShards::attended_keys(index rank) const {
  return {keys(rank).of_ring(place(rank)), heads_.of(ulysses(rank)).kv};
}

Rank MeshShards::rank(index number, Communicator& communicator, Device& device, LocalAttention attention) const {
  return {communicator,
          device,
          attention,
          queries(number),
          keys(number),
          mesh_.ring(number),
          mesh_.group(number, "ulysses"),
          mesh_.group(number, "inner"),
          mesh_.group(number, "outer"),
          heads_};
}

CostedRank MeshShards::costed(const Problem& problem, index rank, const Kernel& local) const {
  return {.problem = problem,
          .queries = queries(rank),
          .keys = keys(rank),
          .ring = mesh_.places(),
          .ring_place = place(rank),
          .inner = mesh_.devices("inner"),
          .heads = heads_,
          .ulysses_place = ulysses(rank),
          .keeps_out = !local.takes_parts()};
}

}  // namespace attestone::inline backends
