// SPDX-License-Identifier: Apache-2.0
// Who is there to send to, and to receive from.
#include "backends/distributed/methods/line_way.hpp"

namespace attestone::inline backends {

Task<> LineHop::finished() {
  for (Request& request : step.leaving) step.arriving.push_back(std::move(request));
  step.leaving.clear();
  return all_of(std::move(step.arriving));
}

LineWay::LineWay(Rank& rank, index direction) : rank_(rank), direction_(direction) {
  const index lower = rank.ring.place, higher = rank.ring.size() - 1 - lower;
  behind_ = direction > 0 ? lower : higher;
  ahead_ = direction > 0 ? higher : lower;
}

LineHop LineWay::pass_on(const KeyValue* out, index coming, Messages messages, From from) const {
  std::optional<KeyValue> next;
  if (has(coming)) next.emplace(room("KV", rank_.attention.whole().input, coming));
  return pass(direction_, ahead_ > 0 ? out : nullptr, std::move(next), messages, from);
}

LineHop LineWay::rotate(const KeyValue& out, index coming, Messages messages, From from) const {
  KeyValue next = room("KV", rank_.attention.whole().input, std::min(coming, behind_));
  if (behind_ > 0) return pass(direction_, ahead_ > 0 ? &out : nullptr, std::move(next), messages, from);
  LineHop hop = pass(direction_, &out, std::nullopt, messages, from);
  next.clear();
  hop.coming = std::move(next);
  return hop;
}

LineHop LineWay::pass_back(const KeyValue* out, const char* name, const DType& format, index coming, Messages messages,
                           From from) const {
  std::optional<KeyValue> next;
  if (ahead_ > 0 && (coming == 0 || has(coming))) next.emplace(room(name, format, coming));
  return pass(-direction_, out, std::move(next), messages, from);
}

KeyValue LineWay::room(const char* name, const DType& format, index distance) const {
  return {rank_, name, format, format, rows(distance).count(), rank_.held_heads()};
}

LineHop LineWay::pass(index steps, const KeyValue* out, std::optional<KeyValue> room, Messages messages,
                      From from) const {
  LineHop hop;
  hop.coming = std::move(room);
  std::vector<ConstView> going;
  std::vector<View> coming;
  if (out) going = {out->key.all(), out->value.all()};
  if (hop.coming) coming = {hop.coming->key.all(), hop.coming->value.all()};
  hop.step = step_on_line(rank_.communicator, rank_.ring, steps, going, coming, messages, from);
  return hop;
}

}  // namespace attestone::inline backends
