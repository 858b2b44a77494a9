// SPDX-License-Identifier: Apache-2.0
// Whether anything in a problem came to the registries after the problems of old seeds were fixed.
#pragma once

#include <algorithm>
#include <fmt/format.h>

#include "conformance/problems/coverage.hpp"
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone {

template <class Entry>
bool has_newcomer(const std::vector<std::string>& features, std::string_view prefix) {
  return std::ranges::any_of(Registry<Entry>::all(), [&](const auto& named) {
    const Drawing& drawing = named.second.drawing;
    return drawing.turn == 0 && drawing.chance > 0 &&
           std::ranges::find(features, fmt::format("{}{}", prefix, named.first)) != features.end();
  });
}

/// An entry without a turn that random problems draw: a mask, a bias, a number format, a layout or a fill.
inline bool has_newcomer(const Problem& problem) {
  const std::vector<std::string> features = features_of(problem);
  const Drawing& of_format = problem.input.drawing;
  return (of_format.turn == 0 && of_format.chance > 0) || has_newcomer<MaskRule>(features, "mask=") ||
         has_newcomer<BiasRule>(features, "") || has_newcomer<Layout>(features, "layout=") ||
         has_newcomer<Fill>(features, "fill=");
}

}  // namespace attestone
