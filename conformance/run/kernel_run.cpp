// SPDX-License-Identifier: Apache-2.0
// The words of a run.
#include "conformance/run/kernel_run.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attestone::inline conformance {

std::string_view text(CutShort why) {
  switch (why) {
    case CutShort::interrupted:
      return "interrupted";
    case CutShort::budget:
      return "over budget";
    case CutShort::own_failure:
      return "attestone itself failed";
  }
  return {};
}

std::string accuracy_format(const Property& property, const Problem& problem) {
  return dtype_text(problem) + (property.name.starts_with("gradient") ? " gradients" : "");
}

std::vector<std::string> looser_texts(const KernelRun& run) {
  std::vector<std::string> all;
  for (const auto& [formats, declared] : run.classes) {
    if (declared.looser.empty()) continue;
    std::vector<std::string> fields;
    for (const LooserField& field : declared.looser)
      fields.push_back(fmt::format("{}={} ({}: {})", field.name, field.declared, declared.name, field.allowed));
    const std::string text = fmt::format("looser than {}: {}", declared.name, fmt::join(fields, ", "));
    if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  }
  return all;
}

std::vector<std::string> convention_texts(const KernelRun& run) {
  std::vector<std::string> all;
  for (const DeclaredConvention& own : run.conventions)
    all.push_back(fmt::format("{}: {} (the rules: {})", own.text(), own.meaning, own.rules));
  return all;
}

bool KernelRun::is_looser() const {
  return std::any_of(classes.begin(), classes.end(), [](const auto& each) { return !each.second.looser.empty(); });
}

}  // namespace attestone::inline conformance
