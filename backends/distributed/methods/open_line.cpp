// SPDX-License-Identifier: Apache-2.0
// Open line: keys and values spread towards both ends of a line of devices, where an end has one neighbour.
#include <array>
#include <deque>

#include "backends/distributed/methods/line_way.hpp"
#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/methods/ring_method.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "backends/distributed/rank/staying_queries.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

/// The wrap-free bidirectional ring of MaxDiffusion without the blocks beyond the ends of the line, which are masked
/// there (masked_line.hpp). The backward passes are ours, for MaxDiffusion has none.
class OpenLine final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;

 private:
  bool reflects() const { return chosen("sums") == "reflecting"; }
};

std::vector<Setting> settings() {
  std::vector<Setting> all = RingMethod::ring_settings();
  all.push_back({"sums", "chain", one_of({"chain", "reflecting"}),
                 "sums of dK and dV: each place keeps what it adds until they pass, or keys come back with them"});
  return all;
}

std::vector<std::string> examples() {
  std::vector<std::string> all = RingMethod::ring_examples();
  all.insert(all.end(),
             {"sums=reflecting", "messages=fused:placement=striped:parts=output:gradients=output:sums=reflecting"});
  return all;
}

const Registration<RankProgramEntry> registered{{
    .name = "open_line",
    .summary = "keys and values spread along a line of devices towards both of its ends",
    .settings = settings(),
    .examples = examples(),
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<OpenLine>("open_line", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

Task<RankAnswer> OpenLine::forward(Rank& rank, RankInputs held) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  const index R = rank.ring.size();
  if (R == 1) co_return local_forward(rank, held, queries);

  const RingVariant variant = this->variant(rank);
  KeyValue own(std::move(held.key), std::move(held.value));
  std::array<LineStream, 2> streams{LineStream{LineWay(rank, 1)}, LineStream{LineWay(rank, -1)}};
  const auto answer = running_answer(variant.merge, rank, queries, *variant.part);
  const auto attend = [&](const HeldRows& rows, const KeyValue& keys) {
    const auto blocks = rank.attention.blocks(queries, rows);
    if (!blocks.empty()) answer->take_in(blocks, queries, {rows, keys.key, keys.value});
  };
  for (index step = 0; step < R; ++step) {
    for (LineStream& stream : streams) {
      const KeyValue* here = step == 0 ? &own : stream.current ? &*stream.current : nullptr;
      if (step < R - 1) stream.next = stream.way.pass_on(here, step + 1, variant.messages);
    }
    if (step == 0) attend(rank.keys.of_ring(rank.ring.place), own);
    for (const LineStream& stream : streams)
      if (stream.current) attend(stream.way.rows(step), *stream.current);
    for (LineStream& stream : streams) {
      Task<> passed = stream.next.finished();
      co_await passed;
      stream.current = std::exchange(stream.next.coming, std::nullopt);
    }
    if (step == 0) own.release();
  }
  held.query.release();
  co_return answer->finish();
}

/// One way of the backward pass by chains: what a place adds to the sums of others waits for them.
struct ChainStream : LineStream {
  std::deque<KeyValue> kept = {};  ///< shares of the sums of places behind, the nearest one first
  std::optional<KeyValue> leaving = {};
  LineHop sums = {};

  /// How far behind the owner is of the sums that are here at a step: they start at the end of the line with the share
  /// of its last place, when the keys have come there.
  index owner(index step) const { return step - 2 * way.ahead(); }
};

/// The backward pass on several devices. Sums of dK and dV begin at the ends of the line and go to their owner, each
/// place adding what it has kept since the keys passed: the longer the line, the more a place keeps.
Task<RankGradients> line_backward_by_chain(Rank& rank, RankSaved saved, RingVariant variant) {
  const index R = rank.ring.size();
  StayingQueries queries(rank, saved);
  KeyValue own(std::move(saved.key), std::move(saved.value));
  std::optional<KeyValue> own_sum;
  std::array<ChainStream, 2> streams{ChainStream{LineStream{LineWay(rank, 1)}},
                                     ChainStream{LineStream{LineWay(rank, -1)}}};
  const auto share = [&](const HeldRows& rows, const KeyValue& keys) {
    return *queries.share({rows, keys.key, keys.value}, *variant.sums, true);
  };
  for (index step = 0; step < 2 * R - 1; ++step) {
    for (ChainStream& stream : streams) {
      Task<> left = stream.sums.left();
      co_await left;
      stream.leaving.reset();
    }
    for (ChainStream& stream : streams) {
      const KeyValue* here = step == 0 ? &own : stream.current ? &*stream.current : nullptr;
      if (step < R - 1) stream.next = stream.way.pass_on(here, step + 1, variant.messages);
    }
    if (step == 0) own_sum.emplace(share(rank.keys.of_ring(rank.ring.place), own));
    for (ChainStream& stream : streams)
      if (stream.current) stream.kept.push_back(share(stream.way.rows(step), *stream.current));
    for (ChainStream& stream : streams) {
      Task<> arrived = stream.sums.arrived();
      co_await arrived;
      if (stream.sums.coming) (stream.owner(step) == 0 ? *own_sum : stream.kept.front()).add(*stream.sums.coming);
      stream.sums.coming.reset();
    }
    for (ChainStream& stream : streams) {
      Task<> passed = stream.next.finished();
      co_await passed;
      stream.current = std::exchange(stream.next.coming, std::nullopt);
    }
    if (step == 0) own.release();
    for (ChainStream& stream : streams) {
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

/// One way of the backward pass by reflection: keys turn at the ends of the line, and come back beside their sums.
struct ReflectingStream : LineStream {
  std::optional<KeyValue> returned = {};  ///< keys on their way back from the end
  LineHop next_returned = {};
  std::optional<KeyValue> share = {}, leaving = {};
  LineHop sums = {};

  /// How far behind the owner is of the keys that come back at a step, and of their sums.
  index owner(index step) const { return step - 2 * way.ahead(); }
  /// The returning keys, which turn where the line ends.
  const std::optional<KeyValue>& returning() const { return way.ahead() == 0 ? current : returned; }
};

/// Sends the keys to the ends first, where they turn and come back beside their sums: nothing is kept.
Task<RankGradients> line_backward_by_reflection(Rank& rank, RankSaved saved, RingVariant variant) {
  const index R = rank.ring.size();
  const DType& input = rank.attention.whole().input;
  StayingQueries queries(rank, saved);
  KeyValue own(std::move(saved.key), std::move(saved.value));
  std::optional<KeyValue> own_sum;
  std::array<ReflectingStream, 2> streams{ReflectingStream{LineStream{LineWay(rank, 1)}},
                                          ReflectingStream{LineStream{LineWay(rank, -1)}}};
  const auto share = [&](const HeldRows& rows, const KeyValue& keys) {
    return *queries.share({rows, keys.key, keys.value}, *variant.sums, true);
  };
  for (index step = 0; step < 2 * R - 1; ++step) {
    for (ReflectingStream& stream : streams) {
      const KeyValue* here = step == 0 ? &own : stream.current ? &*stream.current : nullptr;
      if (step < R - 1) stream.next = stream.way.pass_on(here, step + 1, variant.messages);
      if (step == 2 * R - 2) continue;
      // Their owner has its keys, so nothing but sums goes the last step, and comes from there.
      const KeyValue* back = stream.owner(step) > 1 && stream.returning() ? &*stream.returning() : nullptr;
      const index coming = stream.owner(step + 1) == 0 ? -1 : stream.owner(step + 1);
      stream.next_returned = stream.way.pass_back(back, "KV", input, coming, variant.messages);
    }
    if (step == 0) own_sum.emplace(share(rank.keys.of_ring(rank.ring.place), own));
    for (ReflectingStream& stream : streams)
      if (stream.way.has(stream.owner(step)))
        stream.share.emplace(share(stream.way.rows(stream.owner(step)), *stream.returning()));
    for (ReflectingStream& stream : streams) {
      Task<> passed = stream.sums.finished();
      co_await passed;
      if (stream.sums.coming) (stream.owner(step) == 0 ? *own_sum : *stream.share).add(*stream.sums.coming);
      stream.sums.coming.reset();
    }
    for (ReflectingStream& stream : streams) {
      Task<> passed = stream.next.finished(), came_back = stream.next_returned.finished();
      co_await passed;
      co_await came_back;
      stream.current = std::exchange(stream.next.coming, std::nullopt);
      stream.returned = std::exchange(stream.next_returned.coming, std::nullopt);
      stream.leaving = std::exchange(stream.share, std::nullopt);
    }
    if (step == 0) own.release();
    for (ReflectingStream& stream : streams) {
      const KeyValue* out = stream.leaving ? &*stream.leaving : nullptr;
      if (step < 2 * R - 2)
        stream.sums = stream.way.pass_back(out, "sum of dKV", *variant.sums, stream.owner(step + 1), variant.messages);
    }
  }
  co_return queries.finish(*own_sum, *variant.key_gradients);
}

Task<RankGradients> OpenLine::backward(Rank& rank, RankSaved saved) const {
  const RingVariant variant = this->variant(rank);
  if (rank.ring.size() == 1) {
    const LocalQueries own{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
    co_return local_backward(rank, saved, own, *variant.key_gradients);
  }
  Task<RankGradients> line = reflects() ? line_backward_by_reflection(rank, std::move(saved), variant)
                                        : line_backward_by_chain(rank, std::move(saved), variant);
  co_return co_await line;
}

// Costs: what a rank sends and holds, in closed form.

/// One of the two ways, and what is on it. Distances are in places behind: from there keys come, and there sums go.
struct WayCosts {
  const Attended& own;
  index direction, behind, ahead;

  bool has(index distance) const { return distance > 0 && distance <= behind; }
  /// Keys, or their sums, of the place at a distance, if there is one.
  Moment at(index distance, const char* name, const DType& format) const {
    if (!has(distance)) return {};
    return {{name, own.key_values(direction * distance, format)}};
  }
  index part_rows(index distance) const { return has(distance) ? own.part_rows(direction * distance) : 0; }
  /// The owner of the sums that are at the rank at a step and go home.
  index owner(index step) const { return step - 2 * ahead; }
  /// The sums that come at a step, some of them to the rank itself.
  Moment coming_sums(index step, const DType& format) const {
    if (ahead == 0 || (owner(step) != 0 && !has(owner(step)))) return {};
    return {{"sum of dKV", own.key_values(direction * owner(step), format)}};
  }
};
using BothWays = std::array<WayCosts, 2>;

BothWays both_ways(const CostedRank& rank, const Attended& own) {
  const index lower = rank.ring_place, higher = rank.ring - 1 - lower;
  return {WayCosts{own, 1, lower, higher}, WayCosts{own, -1, higher, lower}};
}

void send_all(const Moment& buffers, const RingVariant& variant, RankCosts& costs) {
  for (const NamedBytes& buffer : buffers) costs.send(messages_of(variant), buffer.bytes);
}

/// The keys of a step on their way to the ends, before those of the next one; what goes on is sent.
Moment keys_of_step(const Attended& own, const BothWays& ways, index step, const DType& in) {
  Moment keys = step == 0 ? own.shard(0, "key", "value") : Moment{};
  for (const WayCosts& way : ways) keys = keys + way.at(step, "KV", in);
  return keys;
}

void send_keys(const CostedRank& rank, const Attended& own, const BothWays& ways, const RingVariant& variant,
               RankCosts& costs) {
  for (const WayCosts& way : ways)
    for (index distance = 0; way.ahead > 0 && distance <= way.behind; ++distance)
      costs.send(messages_of(variant), own.key_values(way.direction * distance, rank.problem.input));
}

/// Sums leave against the way of their keys, each place's once.
void send_sums(const BothWays& ways, const RingVariant& variant, RankCosts& costs) {
  for (const WayCosts& way : ways)
    for (index distance = 1; distance <= way.behind; ++distance)
      send_all(way.at(distance, "sum of dKV", *variant.sums), variant, costs);
}

/// Shares that wait for their sums at the end of a step: those of keys that have passed, whose sums have not.
Moment kept(const BothWays& ways, index step, const DType& format) {
  Moment all;
  for (const WayCosts& way : ways)
    for (index distance = std::max(index{1}, way.owner(step)); distance <= std::min(step, way.behind); ++distance)
      all = all + way.at(distance, "share of dKV", format);
  return all;
}

/// By chain: beside the keys of the step and the own share those that are kept. The room for sums of a step is there
/// before those that left at the last one have been read.
void hold_chain(const Attended& own, const BothWays& ways, index places, const Moment& stays, const DType& in,
                const DType& format, RankCosts& costs) {
  for (index step = 0; step < 2 * places - 1; ++step) {
    const Moment keys = keys_of_step(own, ways, step, in), next = keys_of_step(own, ways, step + 1, in);
    Moment now = stays + Moment{{"share of dKV", own.key_values(0, format)}};
    for (const WayCosts& way : ways) now = now + way.coming_sums(step, format);
    if (step > 0) costs.hold(now + keys + kept(ways, step - 1, format));
    costs.hold(now + keys + next + kept(ways, step, format));
  }
}

/// By reflection: keys both on their way out and back, and of each way a share, the one before it that is leaving, and
/// the sums that come.
void hold_reflection(const Attended& own, const BothWays& ways, index places, const Moment& stays, const DType& in,
                     const DType& format, RankCosts& costs) {
  for (index step = 0; step < 2 * places - 1; ++step) {
    Moment now = stays + keys_of_step(own, ways, step, in) + keys_of_step(own, ways, step + 1, in);
    now.push_back({"share of dKV", own.key_values(0, format)});
    for (const WayCosts& way : ways) {
      const index owner = way.owner(step);
      if (way.ahead > 0) now = now + way.at(owner, "KV", in) + way.at(owner + 1, "KV", in);
      now = now + way.at(owner, "share of dKV", format) + way.at(owner - 1, "share of dKV", format) +
            way.coming_sums(step, format);
    }
    costs.hold(now);
  }
}

RankCosts OpenLine::forward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const DType& in = rank.problem.input;
  const Moment query{{"query", own.queries(in)}};
  if (rank.ring == 1) {
    local_forward_costs(rank, own, query + own.shard(0, "key", "value"), costs);
    return costs;
  }
  const BothWays ways = both_ways(rank, own);
  const Moment stays = query + merged_sums(own, variant);
  send_keys(rank, own, ways, variant, costs);
  for (index step = 0; step < rank.ring; ++step) {
    const Moment now = stays + keys_of_step(own, ways, step, in) + keys_of_step(own, ways, step + 1, in);
    if (step == 0) costs.hold(now + merged_part(rank, own.part_rows(0), variant));
    for (const WayCosts& way : ways) costs.hold(now + merged_part(rank, way.part_rows(step), variant));
  }
  hold_merged_answer(rank, own, variant, costs);
  return costs;
}

RankCosts OpenLine::backward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const DType &in = rank.problem.input, &format = *variant.sums;
  const Moment read = read_of_queries(rank, own, "dout");
  if (rank.ring == 1) {
    local_backward_costs(rank, own, *variant.key_gradients, read, costs);
    return costs;
  }
  const BothWays ways = both_ways(rank, own);
  send_keys(rank, own, ways, variant, costs);
  send_sums(ways, variant, costs);
  const Moment out{{"out", own.outs(rank.problem.output)}}, sum{{"sum of dquery", own.queries(dtype("f32"))}};
  const Moment stays = rank.keeps_out ? read + sum + out : read + sum;
  costs.hold(read + out + own.shard(0, "key", "value"));
  if (reflects()) {
    for (const WayCosts& way : ways)
      for (index distance = 2; distance <= way.behind; ++distance) send_all(way.at(distance, "KV", in), variant, costs);
    hold_reflection(own, ways, rank.ring, stays, in, format, costs);
  } else {
    hold_chain(own, ways, rank.ring, stays, in, format, costs);
  }
  hold_rounded_gradients(rank, own, variant, "share of dKV", costs);
  return costs;
}

}  // namespace
}  // namespace attestone::inline backends
