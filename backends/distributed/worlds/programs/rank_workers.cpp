// SPDX-License-Identifier: Apache-2.0
// Asking the program of rank 0 what it is.
#include "backends/distributed/worlds/programs/rank_workers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/program/program_answer.hpp"
#include "backends/plugins/program/program_request.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

/// One of some words; the first if nothing is said.
std::string one_of(const Safetensors& said, const std::string& line, const std::string& name,
                   std::initializer_list<const char*> words) {
  const std::string text = text_of(said, name);
  if (text.empty()) return *words.begin();
  for (const char* word : words)
    if (text == word) return text;
  throw UserError(fmt::format("'{}' declares '{}' as its {}", line, text, name),
                  fmt::format("write {}", fmt::join(words, ", ")));
}

}  // namespace

RankWorkers::RankWorkers(std::string line, const CallLimits& limits)
    : line_(std::move(line)),
      call_limits_(limits),
      said_(described(1)),
      backward_(one_of(said_, line_, "passes", {"forward", "forward+backward"}) != "forward"),
      placement_(one_of(said_, line_, "placement", {"block", "zigzag", "striped"})),
      limits_(text_of(said_, "limits"), line_) {
  numerics_.try_emplace(1, text_of(said_, "numerics"), line_);
}

Safetensors RankWorkers::described(index places) {
  Frame request = describe_request();
  request.texts["places"] = fmt::format("{}", places);
  try {
    Safetensors answer = of(0).ask(request, room_for_header);
    if (!text_of(answer, "call").empty()) throw KernelFault("wrong-protocol", "sent back the request");
    return answer;
  } catch (const KernelFault& fault) {
    throw UserError(fmt::format("cannot use '{}': asked to describe itself, it {}", line_, fault.what()));
  }
}

const DeclaredNumerics& RankWorkers::numerics(index places) {
  const auto known = numerics_.find(places);
  if (known != numerics_.end()) return known->second;
  return numerics_.try_emplace(places, text_of(described(places), "numerics"), line_).first->second;
}

std::uint64_t RankWorkers::fingerprint() const {
  const std::string known = line_ + said_.digest();
  return XXH3_64bits(known.data(), known.size());
}

ProgramWorker& RankWorkers::of(index rank) { return workers_.try_emplace(rank, line_, call_limits_).first->second; }

}  // namespace attestone::inline backends
