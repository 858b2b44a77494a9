// SPDX-License-Identifier: Apache-2.0
// Putting the read-outs into words.
#include "conformance/probes/read_out.hpp"

#include <cmath>
#include <fmt/format.h>

#include "conformance/probes/effective_mask.hpp"
#include "conformance/probes/effective_precision.hpp"
#include "conformance/probes/effective_scores.hpp"
#include "conformance/trial.hpp"

namespace attestone {
namespace {

/// A query for each line is too much when most lines say the same.
constexpr std::size_t most_lines = 24;

void add_mask(const AnyKernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  const auto mask = wrong_mask(kernel, problem);
  if (!mask) return;
  lines.push_back(fmt::format("keys that each query of batch {}, head {} should use, and uses ('#'), with tied scores",
                              mask->batch, mask->head));
  const std::vector<std::string> picture = mask->picture();
  for (std::size_t i = 0; i < std::min(picture.size(), most_lines); ++i)
    lines.push_back(fmt::format("  q{:<3} {}", i, picture[i]));
  if (picture.size() > most_lines) lines.push_back(fmt::format("  ... {} more", picture.size() - most_lines));
}

void add_scores(const AnyKernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  for (const ScoreReadOut& score : wrong_scores(kernel, problem))
    lines.push_back(
        fmt::format("a q.k of {:.4g} becomes a score of {:.4g}, not {:.4g}", score.q_k, score.got, score.right));
}

void add_precision(const AnyKernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  const auto bits = effective_precision(kernel, problem);
  if (!bits) return;
  if (const PrecisionClass* worthy = worthy_class(*bits, kernel.numerics(problem)))
    lines.push_back(fmt::format(
        "worthy of class '{}', which it does not declare: {} (bits: operands {}, scores {}, weights {}, sums of V {})",
        worthy->name, worthy->says, bits->operands, bits->scores, bits->weights, bits->values));
}

}  // namespace

std::vector<std::string> read_out(const AnyKernel& kernel, const Problem& problem) {
  std::vector<std::string> lines;
  try {
    add_mask(kernel, problem, lines);
    add_scores(kernel, problem, lines);
    if (lines.empty()) add_precision(kernel, problem, lines);
  } catch (const KernelCrash&) {
    lines.clear();
  }
  return lines;
}

}  // namespace attestone
