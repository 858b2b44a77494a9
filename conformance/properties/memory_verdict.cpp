// SPDX-License-Identifier: Apache-2.0
// Judging what calls did to memory.
#include "conformance/properties/memory_verdict.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <span>

#include "conformance/trial/change_signs.hpp"
#include "conformance/trial/same_bits.hpp"
#include "reference/bits.hpp"

namespace attestone {
namespace {

/// What one call did to memory that is none of its business.
Verdict trespass(const WatchedCall& call) {
  if (call.inputs_changed) return Verdict::failed("input-changed", "the inputs differ after the call");
  if (const std::string_view tensor = scribbled(call.guarded); !tensor.empty())
    return Verdict::failed("out-of-bounds-write",
                           fmt::format("bytes around {}, or between its rows, were changed", tensor));
  return Verdict::passed();
}

/// The first element of one tensor that still holds what it held before both calls; empty if there is none.
std::string unwritten(const WatchedCall& one, const WatchedCall& other, std::size_t tensor) {
  const ConstView view = one.after[tensor].tensor->view();
  const int bits = view.dtype().storage_bits();
  const auto code = [&](const auto& tensors, index place) {
    return read_code(tensors[tensor].tensor->bytes().data(), place, bits);
  };
  std::string first;
  for_each_element(view, [&](index b, index h, index r, index c) {
    if (!first.empty()) return;
    const index place = view.place(b, h, r, c);  // which is the same in all four
    if (code(one.before, place) == code(one.after, place) && code(other.before, place) == code(other.after, place))
      first = fmt::format("{}[b{}, h{}, {}, c{}] was never written", text(one.after[tensor].name), b, h, r, c);
  });
  return first;
}

/// "scores 4096 of 6144, keys 1024, values 1024": the largest first, and no more than a line holds.
std::string by_name(const MemoryUse& memory) {
  std::vector<std::pair<std::string, index>> names(memory.by_name.begin(), memory.by_name.end());
  std::ranges::stable_sort(names, std::greater(), [](const auto& name) { return name.second; });
  constexpr std::size_t most = 5;
  std::string text;
  for (const auto& [name, bytes] : std::span(names).first(std::min(names.size(), most)))
    text += text.empty() ? fmt::format("{} {} of {}", name, bytes, memory.bytes) : fmt::format(", {} {}", name, bytes);
  return names.size() <= most ? text : fmt::format("{}, and {} more", text, names.size() - most);
}

}  // namespace

Inputs inputs_before(const Inputs& inputs) {
  Inputs before = inputs;
  change_signs(before.query);
  change_signs(before.value);
  if (before.dout) change_signs(*before.dout);
  return before;
}

Verdict memory_verdict(const WatchedCalls& calls, index documented) {
  for (const WatchedCall* call : {&calls.over_nan, &calls.over_huge, &calls.over_stale})
    if (const Verdict verdict = trespass(*call); verdict.outcome == Outcome::failed) return verdict;
  for (std::size_t tensor = 0; tensor < calls.over_nan.after.size(); ++tensor) {
    const std::string place = unwritten(calls.over_nan, calls.over_huge, tensor);
    if (!place.empty()) return Verdict::failed("unwritten", place);
  }
  const bool deterministic = same_bits(calls.over_nan.after, calls.again.after);
  if (deterministic && !(same_bits(calls.over_nan.after, calls.over_huge.after) &&
                         same_bits(calls.over_nan.after, calls.over_stale.after)))
    return Verdict::failed("depends-on-poison", "other contents of the output before the call gave another answer");
  const MemoryUse& took = calls.over_nan.memory;
  if (took.bytes > documented)
    return Verdict::failed(
        "memory", fmt::format("took {} bytes of workspace, documents {}: {}", took.bytes, documented, by_name(took)));
  return Verdict::passed();
}

}  // namespace attestone
