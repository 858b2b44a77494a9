// SPDX-License-Identifier: Apache-2.0
// Choosing among coroutines and messages, each as likely as the other unless a fault holds it back.
#include "simulate/world/events.hpp"

#include <algorithm>

namespace attestone::inline simulate {
namespace {

/// Draws of the order of events, among all those of the world's seed.
constexpr std::uint32_t purpose = 0x6F726465;

template <class T>
T taken_out(std::vector<T>& all, std::size_t at) {
  T one = std::move(all[at]);
  if (at + 1 < all.size()) all[at] = std::move(all.back());
  all.pop_back();
  return one;
}

}  // namespace

void Events::forget(std::coroutine_handle<> coroutine) {
  std::erase_if(ready_, [&](const Ready& one) { return one.coroutine == coroutine; });
}

bool Events::held_back(std::size_t candidate) const {
  return std::ranges::any_of(faults_, [&](const auto& fault) {
    return candidate < ready_.size() ? fault->holds_back(ready_[candidate].rank)
                                     : fault->holds_back(on_the_way_[candidate - ready_.size()]);
  });
}

std::size_t Events::chosen() {
  const std::size_t all = ready_.size() + on_the_way_.size();
  const auto words = static_cast<std::uint64_t>(count_++);
  if (all == 1) return 0;
  const Draw draw(seed_, {purpose, static_cast<std::uint32_t>(words), static_cast<std::uint32_t>(words >> 32), 0});
  const auto first = static_cast<std::size_t>(draw.integer(0, static_cast<index>(all) - 1));
  if (faults_.empty()) return first;
  for (std::size_t step = 0; step < all; ++step)
    if (!held_back((first + step) % all)) return (first + step) % all;
  return first;
}

void Events::note(std::initializer_list<std::uint64_t> words) {
  digest_ = hash_of(std::as_bytes(std::span(words.begin(), words.size())), digest_);
}

Event Events::next() {
  const std::size_t which = chosen();
  if (which < ready_.size()) {
    const Ready one = taken_out(ready_, which);
    note({static_cast<std::uint64_t>(one.rank)});
    return {one.rank, one.coroutine, std::nullopt};
  }
  Message message = taken_out(on_the_way_, which - ready_.size());
  note({static_cast<std::uint64_t>(message.source), static_cast<std::uint64_t>(message.destination),
        static_cast<std::uint64_t>(message.sequence), message.checksum});
  const index rank = message.destination;
  return {rank, {}, std::move(message)};
}

}  // namespace attestone::inline simulate
