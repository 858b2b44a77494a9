// SPDX-License-Identifier: Apache-2.0
// The backward pass of an open line by chains: what a place adds to the sums of others waits for them.
#include <array>
#include <deque>

#include "backends/distributed/methods/line_way.hpp"
#include "backends/distributed/methods/open_line.hpp"
#include "backends/distributed/rank/staying_queries.hpp"

namespace attestone::inline backends {
namespace {

struct Stream : LineStream {
  std::deque<KeyValue> kept = {};  ///< shares of the sums of places behind, the nearest one first
  std::optional<KeyValue> leaving = {};
  LineHop sums = {};

  /// How far behind the owner is of the sums that are here at a step: they start at the end of the line with the share
  /// of its last place, when the keys have come there.
  index owner(index step) const { return step - 2 * way.ahead(); }
};

}  // namespace

Task<RankGradients> line_backward_by_chain(Rank& rank, RankSaved saved, RingVariant variant) {
  const index R = rank.ring.size();
  StayingQueries queries(rank, saved);
  KeyValue own(std::move(saved.key), std::move(saved.value));
  std::optional<KeyValue> own_sum;
  std::array<Stream, 2> streams{Stream{LineStream{LineWay(rank, 1)}}, Stream{LineStream{LineWay(rank, -1)}}};
  const auto share = [&](const HeldRows& rows, const KeyValue& keys) {
    return *queries.share({rows, keys.key, keys.value}, *variant.sums, true);
  };
  for (index step = 0; step < 2 * R - 1; ++step) {
    for (Stream& stream : streams) {
      Task<> left = stream.sums.left();
      co_await left;
      stream.leaving.reset();
    }
    for (Stream& stream : streams) {
      const KeyValue* here = step == 0 ? &own : stream.current ? &*stream.current : nullptr;
      if (step < R - 1) stream.next = stream.way.pass_on(here, step + 1, variant.messages);
    }
    if (step == 0) own_sum.emplace(share(rank.keys.of_ring(rank.ring.place), own));
    for (Stream& stream : streams)
      if (stream.current) stream.kept.push_back(share(stream.way.rows(step), *stream.current));
    for (Stream& stream : streams) {
      Task<> arrived = stream.sums.arrived();
      co_await arrived;
      if (stream.sums.coming) (stream.owner(step) == 0 ? *own_sum : stream.kept.front()).add(*stream.sums.coming);
      stream.sums.coming.reset();
    }
    for (Stream& stream : streams) {
      Task<> passed = stream.next.finished();
      co_await passed;
      stream.current = std::exchange(stream.next.coming, std::nullopt);
    }
    if (step == 0) own.release();
    for (Stream& stream : streams) {
      if (stream.way.has(stream.owner(step))) {
        stream.leaving.emplace(std::move(stream.kept.front()));
        stream.kept.pop_front();
      }
      const KeyValue* out = stream.leaving ? &*stream.leaving : nullptr;
      if (step < 2 * R - 2)
        stream.sums = stream.way.pass_back(out, "sum of dKV", *variant.sums, stream.owner(step + 1), variant.messages);
    }
  }
  co_return queries.finish(*own_sum, *variant.key_gradients);
}

}  // namespace attestone::inline backends
