// SPDX-License-Identifier: Apache-2.0
// How fast the certified truth is: 4 N^2 D flops per head over its time, as a share of the f64 multiply-add peak of the
// same rounds. Run: certified_benchmark [rounds]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <omp.h>
#include <random>

#include "conformance/measure/peak.hpp"
#include "reference/certified/truth.hpp"

namespace attestone {
namespace {

void set_normal(Tensor& tensor, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  const View view = tensor.view();
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) view.set(b, h, r, c, static_cast<double>(normal(random)));
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

constexpr double largest_difference = 0.05;  ///< of the peaks around a round, relative

struct Timing {
  double seconds;
  Decisions decisions;
};

Timing time_once(const Problem& problem, const Inputs& inputs, bool escalate) {
  const auto begin = std::chrono::steady_clock::now();
  const Truth truth = certify_forward(problem, inputs, {.queries = {}, .escalate = escalate});
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), truth.decisions};
}

void measure(const Problem& problem, int threads, int rounds) {
  omp_set_num_threads(threads);
  Inputs inputs(problem);
  std::mt19937_64 random(1);
  for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) set_normal(*tensor, random);
  const Shape& s = problem.shape;
  const double flops = 4.0 * static_cast<double>(s.heads * s.queries * s.keys * s.dim);
  std::vector<double> peaks, plain, full;
  Timing last{};
  // A round counts if the peak before and after it agrees: on a shared machine the others do not.
  for (int round = 0, tries = 0; round < rounds && tries < 10 * rounds; ++tries) {
    const double before = peak_f64_flops(threads);
    const double bound_seconds = time_once(problem, inputs, false).seconds;
    last = time_once(problem, inputs, true);
    const double after = peak_f64_flops(threads), peak = (before + after) / 2;
    if (std::abs(before - after) > largest_difference * peak) continue;
    ++round;
    peaks.push_back(peak);
    plain.push_back(flops / bound_seconds / peak);
    full.push_back(flops / last.seconds / peak);
  }
  if (peaks.empty()) {
    fmt::print("{:44} {:7} no round with a steady peak\n", problem.text(), threads);
    return;
  }
  const double total = static_cast<double>(last.decisions.total());
  fmt::print("{:44} {:7} {:9.1f} {:9.3f} {:9.3f} {:9.3f} {:9.3f} {:10.2g}\n", problem.text(), threads,
             median(peaks) / 1e9, median(plain), *std::max_element(plain.begin(), plain.end()), median(full),
             *std::max_element(full.begin(), full.end()), 1 - static_cast<double>(last.decisions.in_double) / total);
}

}  // namespace
}  // namespace attestone

int main(int argc, char** argv) {
  using namespace attestone;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  fmt::print("shares of the f64 peak: with bound, not escalated (median, best); escalated (median, best)\n");
  fmt::print("{:44} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}\n", "problem", "threads", "Gflop/s", "bound", "best",
             "escalated", "best", "escalates");
  for (const int threads : {1, 2})
    for (const char* text : {"shape=1x4x512x512x64", "shape=1x4x512x512x128", "shape=1x1x4096x4096x64",
                             "shape=1x1x4096x4096x128", "shape=1x4x512x512x64 mask=causal",
                             "shape=1x4x512x512x64 dtype=bf16", "shape=1x4x512x512x64 score=softcap:30"})
      measure(parse_problem(text), threads, rounds);
}
