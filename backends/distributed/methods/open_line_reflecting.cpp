// SPDX-License-Identifier: Apache-2.0
// The backward pass of an open line by reflection: keys turn at its ends, and come back beside their sums.
#include <array>

#include "backends/distributed/methods/line_way.hpp"
#include "backends/distributed/methods/open_line.hpp"
#include "backends/distributed/rank/staying_queries.hpp"

namespace attestone::inline backends {
namespace {

struct Stream : LineStream {
  std::optional<KeyValue> returned = {};  ///< keys on their way back from the end
  LineHop next_returned = {};
  std::optional<KeyValue> share = {}, leaving = {};
  LineHop sums = {};

  /// How far behind the owner is of the keys that come back at a step, and of their sums.
  index owner(index step) const { return step - 2 * way.ahead(); }
  /// The returning keys, which turn where the line ends.
  const std::optional<KeyValue>& returning() const { return way.ahead() == 0 ? current : returned; }
};

}  // namespace

Task<RankGradients> line_backward_by_reflection(Rank& rank, RankSaved saved, RingVariant variant) {
  const index R = rank.ring.size();
  const DType& input = rank.attention.whole().input;
  StayingQueries queries(rank, saved);
  KeyValue own(std::move(saved.key), std::move(saved.value));
  std::optional<KeyValue> own_sum;
  std::array<Stream, 2> streams{Stream{LineStream{LineWay(rank, 1)}}, Stream{LineStream{LineWay(rank, -1)}}};
  const auto share = [&](const HeldRows& rows, const KeyValue& keys) {
    return *queries.share({rows, keys.key, keys.value}, *variant.sums, true);
  };
  for (index step = 0; step < 2 * R - 1; ++step) {
    for (Stream& stream : streams) {
      const KeyValue* here = step == 0 ? &own : stream.current ? &*stream.current : nullptr;
      if (step < R - 1) stream.next = stream.way.pass_on(here, step + 1, variant.messages);
      if (step == 2 * R - 2) continue;
      // Their owner has its keys, so nothing but sums goes the last step, and comes from there.
      const KeyValue* back = stream.owner(step) > 1 && stream.returning() ? &*stream.returning() : nullptr;
      const index coming = stream.owner(step + 1) == 0 ? -1 : stream.owner(step + 1);
      stream.next_returned = stream.way.pass_back(back, "KV", input, coming, variant.messages);
    }
    if (step == 0) own_sum.emplace(share(rank.keys.of_ring(rank.ring.place), own));
    for (Stream& stream : streams)
      if (stream.way.has(stream.owner(step)))
        stream.share.emplace(share(stream.way.rows(stream.owner(step)), *stream.returning()));
    for (Stream& stream : streams) {
      Task<> passed = stream.sums.finished();
      co_await passed;
      if (stream.sums.coming) (stream.owner(step) == 0 ? *own_sum : *stream.share).add(*stream.sums.coming);
      stream.sums.coming.reset();
    }
    for (Stream& stream : streams) {
      Task<> passed = stream.next.finished(), came_back = stream.next_returned.finished();
      co_await passed;
      co_await came_back;
      stream.current = std::exchange(stream.next.coming, std::nullopt);
      stream.returned = std::exchange(stream.next_returned.coming, std::nullopt);
      stream.leaving = std::exchange(stream.share, std::nullopt);
    }
    if (step == 0) own.release();
    for (Stream& stream : streams) {
      const KeyValue* out = stream.leaving ? &*stream.leaving : nullptr;
      if (step < 2 * R - 2)
        stream.sums = stream.way.pass_back(out, "sum of dKV", *variant.sums, stream.owner(step + 1), variant.messages);
    }
  }
  co_return queries.finish(*own_sum, *variant.key_gradients);
}

}  // namespace attestone::inline backends
