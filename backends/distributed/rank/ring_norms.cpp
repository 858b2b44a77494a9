// SPDX-License-Identifier: Apache-2.0
// Norms of a rank's rows, and those of all.
#include "backends/distributed/rank/ring_norms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "backends/cpu/attend/fixed_maxima.hpp"
#include "backends/distributed/messages/collectives.hpp"

namespace attestone::inline backends {
namespace {

/// Writes the norms of a tensor's heads, from this channel on.
void note_norms(const Buffer& rows, const View& to, index channel) {
  for (index head = 0; head < rows.heads(); ++head)
    to.set(0, 0, 0, channel + head, fixed_maximum::largest_norm(rows.all(), 0, head, rows.rows()));
}

/// The largest of all places.
double largest(const Buffer& norms, index channel) {
  double most = 0;
  for (index place = 0; place < norms.rows(); ++place) most = std::max(most, norms.all().value(0, 0, place, channel));
  return most;
}

/// The bounds of the scores of a query of norm 1, by query head.
std::vector<double> bounds_per_norm(const Rank& rank, const Buffer& norms) {
  const HeldHeads held = rank.held_heads();
  const index heads = held.query.count(), readers = heads / std::max(held.kv.count(), index{1});
  std::vector<double> bounds;
  for (index head = 0; head < heads; ++head)
    bounds.push_back(std::abs(rank.attention.whole().scale()) * std::numbers::log2e *
                     largest(norms, heads + head / readers));
  return bounds;
}

}  // namespace

Task<Buffer> gather_norms(Rank& rank, const RankInputs& held) {
  const index heads = held.query.heads();
  Buffer norms(rank.device, "norms", dtype("f32"), rank.ring.size(), 1, heads + held.key.heads());
  std::vector<View> places;
  for (index place = 0; place < norms.rows(); ++place) places.push_back(norms.part(0, 1, place, 1));
  const View own = places[static_cast<std::size_t>(rank.ring.place)];
  note_norms(held.query, own, 0);
  note_norms(held.key, own, heads);
  Task<> gathered = all_gather(rank.communicator, rank.ring, places);
  co_await gathered;
  co_return std::move(norms);
}

bool fixed_maxima_hold(const Rank& rank, const Buffer& norms) {
  const std::vector<double> bounds = bounds_per_norm(rank, norms);
  for (std::size_t head = 0; head < bounds.size(); ++head)
    if (!(bounds[head] * largest(norms, static_cast<index>(head)) <= fixed_maximum::largest_bound)) return false;
  return true;
}

MaximaByNorms::MaximaByNorms(const Rank& rank, const LocalQueries& queries, const Buffer& norms)
    : query_(queries.query), per_norm_(bounds_per_norm(rank, norms)) {}

float MaximaByNorms::operator()(index head, index row) const {
  return fixed_maximum::of(per_norm_[static_cast<std::size_t>(head)] * fixed_maximum::norm(query_.all(), 0, head, row));
}

}  // namespace attestone::inline backends
