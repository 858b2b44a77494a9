// SPDX-License-Identifier: Apache-2.0
// Faults by name, and their arguments.
#include "simulate/world/fault.hpp"

#include <charconv>
#include <fmt/format.h>

#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline simulate {
namespace {

/// Draws of faults, among all those of the world's seed.
constexpr std::uint32_t purpose = 0x6661756C;

}  // namespace

Census Census::of(index ranks) {
  const std::vector<index> one(static_cast<std::size_t>(ranks), 1);
  return {.messages = 1, .contents = 1, .steps = one, .operations = one};
}

void FaultArguments::refuse(const std::string& expected) const {
  throw UserError(fmt::format("'{}' is no argument of the fault {}", call_.arguments[next_], call_.name), expected);
}

index FaultArguments::number(const char* what, index least, index usually, index most) {
  const index drawn = draws_.integer(least, usually);
  if (next_ == call_.arguments.size()) return drawn;
  const std::string& text = call_.arguments[next_];
  index given = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), given);
  if (error != std::errc() || end != text.data() + text.size()) return drawn;
  if (given < least || given > most) refuse(fmt::format("{} is {} to {}", what, least, most));
  ++next_;
  return given;
}

std::pair<index, index> FaultArguments::rank_and(const char* what, const std::vector<index>& counts) {
  std::vector<index> ranks;
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    if (counts[rank] > 0) ranks.push_back(static_cast<index>(rank));
  const index drawn = ranks.empty() ? 0 : ranks[static_cast<std::size_t>(draws_.integer(0, std::ssize(ranks) - 1))];
  const bool given = next_ < call_.arguments.size();
  const index rank = given ? this->rank() : drawn;
  return {rank, number_of(what, counts[static_cast<std::size_t>(rank)])};
}

bool FaultArguments::word(std::string_view known) {
  if (next_ == call_.arguments.size() || call_.arguments[next_] != known) return false;
  ++next_;
  return true;
}

void FaultArguments::finish() const {
  if (next_ < call_.arguments.size())
    refuse(fmt::format("it takes {}", Registry<FaultRule>::find(call_.name)->arguments));
}

Faults make_faults(const std::vector<FaultCall>& calls, const Census& census, std::uint64_t seed) {
  Faults all;
  for (const FaultCall& call : calls) {
    const FaultRule* rule = Registry<FaultRule>::find(call.name);
    if (!rule)
      throw UserError(fmt::format("unknown fault '{}'", call.name),
                      did_you_mean(call.name, Registry<FaultRule>::names()));
    FaultArguments arguments(call, census, Draws(seed, purpose, static_cast<index>(all.size())));
    all.push_back(rule->make(arguments));
    arguments.finish();
  }
  return all;
}

}  // namespace attestone::inline simulate
