// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of an open line: step by step, either way.
#include <array>

#include "backends/distributed/methods/open_line.hpp"
#include "backends/distributed/methods/ring_costs.hpp"

namespace attestone::inline backends {
namespace {

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

}  // namespace

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

}  // namespace attestone::inline backends
