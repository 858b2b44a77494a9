// SPDX-License-Identifier: Apache-2.0
// Putting the read-outs into words.
#include "conformance/diagnosis/probes/read_out.hpp"

#include <fmt/format.h>
#include <initializer_list>

#include "conformance/diagnosis/probes/effective_mask.hpp"
#include "conformance/diagnosis/probes/effective_scores.hpp"
#include "conformance/diagnosis/probes/precision_class.hpp"
#include "conformance/diagnosis/probes/sum_bits.hpp"
#include "conformance/diagnosis/work.hpp"
#include "conformance/trial/trial.hpp"

namespace attestone::inline conformance {
namespace {

// Multiply-adds of one call; a read-out takes some hundred.
constexpr double most_work = 0x1p25;

void add_mask(const Kernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  if (const auto mask = wrong_mask(kernel, problem)) lines = mask->picture();
}

void add_scores(const Kernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  for (const ScoreReadOut& score : wrong_scores(kernel, problem))
    lines.push_back(
        fmt::format("a q.k of {:.4g} becomes a score of {:.4g}, not {:.4g}", score.q_k, score.got, score.right));
}

/// The lines that all of them add; none if the problem is too large, or the kernel crashes.
std::vector<std::string> lines_of(const Kernel& kernel, const Problem& problem,
                                  std::initializer_list<decltype(&add_mask)> all) {
  if (problem.shape.rows() == 0 || multiply_adds(problem.shape) > most_work) return {};
  std::vector<std::string> lines;
  try {
    for (const auto add : all) add(kernel, problem, lines);
  } catch (const KernelCrash&) {
    lines.clear();
  }
  return lines;
}

void add_precision(const Kernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  if (const auto worthy = worthy_class(kernel, problem))
    lines.push_back(
        fmt::format("worthy of class '{}', which it does not declare: {}", worthy->is->name, worthy->is->says));
}

void add_sums(const Kernel& kernel, const Problem& problem, std::vector<std::string>& lines) {
  if (!lines.empty()) return;  // a class says more
  if (std::string sums = sum_bits_read_out(kernel, problem); !sums.empty()) lines.push_back(std::move(sums));
}

}  // namespace

std::vector<std::string> read_out(const Kernel& kernel, const Problem& problem) {
  return lines_of(kernel, problem, {add_mask, add_scores});
}

std::vector<std::string> precision_read_out(const Kernel& kernel, const Problem& problem) {
  return lines_of(kernel, problem, {add_precision, add_sums});
}

}  // namespace attestone::inline conformance
