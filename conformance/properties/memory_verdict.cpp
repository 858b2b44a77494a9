// SPDX-License-Identifier: Apache-2.0
// Judging what calls did to memory.
#include "conformance/properties/memory_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "conformance/trial/change_signs.hpp"
#include "conformance/trial/same_bits.hpp"
#include "reference/tensor/bits.hpp"

namespace attestone::inline conformance {
namespace {

/// The verdict on one call's writes to memory that it must not touch.
Verdict trespass(const WatchedCall& call) {
  if (call.inputs_changed) return Verdict::failed("input-changed", "the inputs differ after the call");
  if (const std::string_view tensor = scribbled(call.guarded); !tensor.empty())
    return Verdict::failed("out-of-bounds-write",
                           fmt::format("bytes around {}, or between its rows, were changed", tensor));
  return Verdict::passed();
}

/// An element of one of the tensors of a call.
struct Element {
  std::size_t tensor;
  index batch, head, row, channel;

  double value(const WatchedCall& call) const {
    return call.after[tensor].tensor->view().value(batch, head, row, channel);
  }
  std::string text(const WatchedCall& call) const {
    return fmt::format("{}[b{}, h{}, {}, c{}]", attestone::text(call.after[tensor].name), batch, head, row, channel);
  }
};

/// The contents of memory before and after two calls.
struct TwoCalls {
  std::span<const std::byte> before, after, others_before, others_after;

  /// True if some byte held the same after each as before; where none did, no element was kept, whatever its width.
  bool some_byte_is_kept() const {
    unsigned kept = 0;  // not bool, and no branches: bytes side by side
    for (std::size_t i = 0; i < before.size(); ++i)
      kept |= unsigned{before[i] == after[i]} & unsigned{others_before[i] == others_after[i]};
    return kept != 0;
  }
  bool is_kept(index place, int bits) const {
    return read_code(before.data(), place, bits) == read_code(after.data(), place, bits) &&
           read_code(others_before.data(), place, bits) == read_code(others_after.data(), place, bits);
  }
};

/// The first element of one tensor that still holds what it held before both calls; empty if there is none.
std::string unwritten(const WatchedCall& one, const WatchedCall& other, std::size_t tensor) {
  const TwoCalls calls{one.before[tensor].tensor->bytes(), one.after[tensor].tensor->bytes(),
                       other.before[tensor].tensor->bytes(), other.after[tensor].tensor->bytes()};
  const ConstView view = one.after[tensor].tensor->view();
  const bool holds_elements_alone = std::ssize(calls.after) == view.dtype().bytes(element_count(view.extents()));
  if (holds_elements_alone && !calls.some_byte_is_kept()) return {};
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < view.rows(b); ++r)
        for (index c = 0, place = view.place(b, h, r, 0); c < channels; ++c, place += view.strides()[3])
          if (calls.is_kept(place, view.dtype().storage_bits()))
            return Element{tensor, b, h, r, c}.text(one) + " was never written";
  return {};
}

/// Where two calls differ most; none if no element has two numbers. NaN and a number are infinitely far apart.
struct Difference {
  double size = 0;
  std::optional<Element> element;
};

Difference largest_difference(const WatchedCall& one, const WatchedCall& other) {
  Difference largest;
  for (std::size_t tensor = 0; tensor < one.after.size(); ++tensor) {
    for_each_element(one.after[tensor].tensor->view(), [&](index b, index h, index r, index c) {
      const Element element{tensor, b, h, r, c};
      const double x = element.value(one), y = element.value(other);
      if ((std::isnan(x) && std::isnan(y)) || (!comes_before(x, y) && !comes_before(y, x))) return;
      const double size = std::isnan(x - y) ? std::numeric_limits<double>::infinity() : std::abs(x - y);
      if (!largest.element || size > largest.size) largest = {size, element};
    });
  }
  return largest;
}

/// The contents of an output before a call, in words.
std::string_view text(Before before) {
  switch (before) {
    case Before::nan:
      return "NaN";
    case Before::huge:
      return "2^100";
    case Before::stale:
      break;
  }
  return "the answer to other inputs";
}

/// Which element depends on what its memory held, as further calls show, and how; empty if none does.
std::string dependence(const CallOver& call, const WatchedCall& over_nan, const WatchedCall& over_huge,
                       const WatchedCall& over_stale, std::uint64_t seed) {
  const Difference huge = largest_difference(over_nan, over_huge), stale = largest_difference(over_nan, over_stale);
  const bool of_huge = huge.element && huge.size >= stale.size;
  const std::optional<Element> element = (of_huge ? huge : stale).element;
  if (!element) return {};
  const Before other = of_huge ? Before::huge : Before::stale;
  const double of_nan = element->value(over_nan), of_other = element->value(of_huge ? over_huge : over_stale);
  const bool ascends = comes_before(of_nan, of_other);
  const Tendency tendency = ascends ? Tendency{Before::nan, other} : Tendency{other, Before::nan};
  const auto of_further_call = [&](Before before) { return element->value(call(before)); };
  if (!follows_memory(of_further_call, tendency, seed)) return {};
  return fmt::format(
      "{} was {} where outputs held {}, and {} where they held {}; {} further calls in an order drawn at "
      "random had it larger each time that they held {}",
      element->text(over_nan), of_nan, text(Before::nan), of_other, text(other), 2 * calls_over_each,
      text(tendency.larger));
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

Verdict memory_verdict(const CallOver& over, index documented, std::uint64_t seed) {
  const WatchedCall over_nan = over(Before::nan), over_huge = over(Before::huge), over_stale = over(Before::stale);
  for (const WatchedCall* call : {&over_nan, &over_huge, &over_stale})
    if (const Verdict verdict = trespass(*call); verdict.outcome == Outcome::failed) return verdict;
  for (std::size_t tensor = 0; tensor < over_nan.after.size(); ++tensor) {
    const std::string place = unwritten(over_nan, over_huge, tensor);
    if (!place.empty()) return Verdict::failed("unwritten", place);
  }
  if (!same_bits(over_nan.after, over_huge.after) || !same_bits(over_nan.after, over_stale.after)) {
    const std::string evidence = dependence(over, over_nan, over_huge, over_stale, seed);
    if (!evidence.empty()) return Verdict::failed("depends-on-poison", evidence);
  }
  const MemoryUse& took = over_nan.memory;
  if (took.bytes > documented)
    return Verdict::failed(
        "memory", fmt::format("took {} bytes of workspace, documents {}: {}", took.bytes, documented, by_name(took)));
  return Verdict::passed();
}

}  // namespace attestone::inline conformance
