// SPDX-License-Identifier: Apache-2.0
// How fast the certified truth is: 4 N^2 D flops per head over its time, as a share of the f64 multiply-add peak of the
// same rounds, and what a small call costs. Run: certified_benchmark [rounds]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <omp.h>
#include <random>

#include "conformance/measure/peak.hpp"
#include "reference/certified/forward/truth.hpp"

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

double seconds_of_call(const Problem& problem, const Inputs& inputs, bool escalate, int calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) certify_forward(problem, inputs, {.queries = {}, .escalate = escalate});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls;
}

Inputs normal_inputs(const Problem& problem) {
  Inputs inputs(problem);
  std::mt19937_64 random(1);
  for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) set_normal(*tensor, random);
  return inputs;
}

/// One line of shares: medians over rounds in which the peak was measured before and after.
void measure_share(const Problem& problem, int threads, int rounds) {
  omp_set_num_threads(threads);
  const Inputs inputs = normal_inputs(problem);
  const Shape& s = problem.shape;
  const double flops = 4.0 * static_cast<double>(s.heads * s.queries * s.keys * s.dim);
  std::vector<double> peaks, plain, full;
  // A round counts if the peak before and after it agrees: on a shared machine the others do not.
  for (int tries = 0; static_cast<int>(peaks.size()) < rounds && tries < 10 * rounds; ++tries) {
    const double before = peak_f64_flops(threads);
    const double with_bound = seconds_of_call(problem, inputs, false, 1);
    const double escalated = seconds_of_call(problem, inputs, true, 1);
    const double after = peak_f64_flops(threads), peak = (before + after) / 2;
    if (std::abs(before - after) > largest_difference * peak) continue;
    peaks.push_back(peak);
    plain.push_back(flops / with_bound / peak);
    full.push_back(flops / escalated / peak);
  }
  if (peaks.empty()) return fmt::print("{:7} {:40} no round with a steady peak\n", threads, problem.text());
  const Decisions decisions = certify_forward(problem, inputs).decisions;
  const double open = 1 - static_cast<double>(decisions.in_double) / static_cast<double>(decisions.total());
  fmt::print("{:7} {:40} {:10.1f} {:10.3f} {:10.3f} {:10.2g}\n", threads, problem.text(), median(peaks) / 1e9,
             median(plain), median(full), open);
}

/// One line of microseconds: what a call costs that is too small for shares.
void measure_call(const Problem& problem, int threads, int rounds) {
  constexpr int calls = 100;
  omp_set_num_threads(threads);
  const Inputs inputs = normal_inputs(problem);
  std::vector<double> plain, full;
  for (int round = 0; round < rounds; ++round) {
    plain.push_back(seconds_of_call(problem, inputs, false, calls));
    full.push_back(seconds_of_call(problem, inputs, true, calls));
  }
  fmt::print("{:7} {:40} {:10.1f} {:10.1f}\n", threads, problem.text(), median(plain) * 1e6, median(full) * 1e6);
}

}  // namespace
}  // namespace attestone

int main(int argc, char** argv) {
  using namespace attestone;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  fmt::print("share of the f64 multiply-add peak: with the bound alone, and with open elements escalated\n");
  fmt::print("{:>7} {:40} {:>10} {:>10} {:>10} {:>10}\n", "threads", "problem", "Gflop/s", "bound", "escalated",
             "open");
  for (const int threads : {1, 2})
    for (const char* text :
         {"shape=1x4x512x512x64", "shape=1x4x512x512x128", "shape=1x1x4096x4096x64", "shape=1x1x4096x4096x128",
          "shape=1x4x512x512x64 mask=causal", "shape=1x4x512x512x64 dtype=bf16",
          "shape=1x4x512x512x64 score=softcap:30", "shape=1x4x512x512x64 score=alibi"})
      measure_share(parse_problem(text), threads, rounds);
  fmt::print("\nmicroseconds a call\n{:>7} {:40} {:>10} {:>10}\n", "threads", "problem", "bound", "escalated");
  for (const int threads : {1, 2})
    for (const char* text : {"shape=1x1x1x1x1", "shape=1x2x17x33x16", "shape=1x2x64x64x64", "shape=1x2x128x128x64",
                             "shape=1x2x64x64x64 mask=causal", "shape=1x2x64x64x64 score=alibi"})
      measure_call(parse_problem(text), threads, rounds);
}
