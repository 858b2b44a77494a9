// SPDX-License-Identifier: Apache-2.0
// Putting the read-outs into words.
#include "conformance/diagnosis/probes/read_out.hpp"

#include <fmt/format.h>

#include "conformance/diagnosis/probes/effective_mask.hpp"
#include "conformance/diagnosis/probes/effective_scores.hpp"
#include "conformance/diagnosis/probes/precision_class.hpp"
#include "conformance/trial/trial.hpp"

namespace attestone {
namespace {

// Multiply-adds of one call; a read-out takes some hundred.
constexpr double most_work = 0x1p25;

double work_of(const Shape& s) {
  return static_cast<double>(s.rows()) * static_cast<double>(s.keys) * static_cast<double>(s.dim + s.value_dim);
}

void add_mask(const Kernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  if (const auto mask = wrong_mask(kernel, problem)) lines = mask->picture();
}

void add_scores(const Kernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  for (const ScoreReadOut& score : wrong_scores(kernel, problem))
    lines.push_back(
        fmt::format("a q.k of {:.4g} becomes a score of {:.4g}, not {:.4g}", score.q_k, score.got, score.right));
}

void add_precision(const Kernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  if (const auto worthy = worthy_class(kernel, problem))
    lines.push_back(fmt::format("worthy of class '{}', which it does not declare: {}; with {} its answer conforms",
                                worthy->is->name, worthy->is->says, worthy->declaration));
}

}  // namespace

std::vector<std::string> read_out(const Kernel& kernel, const Problem& problem) {
  if (problem.shape.rows() == 0 || work_of(problem.shape) > most_work) return {};
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
