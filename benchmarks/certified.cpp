// SPDX-License-Identifier: Apache-2.0
// How fast the certified truth is: 4 N^2 D flops per head (gradients: 10 N^2 D) over its time, as a share of the f64
// multiply-add peak of the same rounds, and what a small call costs. Run: certified_benchmark [rounds [part of a name]]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <omp.h>
#include <random>

#include "conformance/measure/peak.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
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

/// Ratios of all rounds, in order of size.
std::string middle_and_ends(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return fmt::format("{:.3f} ({:.3f}-{:.3f})", all[all.size() / 2], all.front(), all.back());
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

constexpr double largest_difference = 0.05;  ///< of the peaks around a round, relative

template <class Call>
double seconds_of(int calls, Call call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls;
}

Inputs normal_inputs(const Problem& problem) {
  Inputs inputs(problem);
  std::mt19937_64 random(1);
  for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) set_normal(*tensor, random);
  if (inputs.dout) set_normal(*inputs.dout, random);
  return inputs;
}

/// Ratios of some calls to the peak around them.
struct Shares {
  std::vector<double> peaks;
  std::vector<std::vector<double>> of_call;  ///< [call][round]
};

/// A round is peak, calls, peak. It counts if both peaks agree: on a shared machine the others do not.
Shares measure_rounds(int threads, int rounds, double flops, const std::vector<std::function<void()>>& calls) {
  Shares shares{{}, std::vector<std::vector<double>>(calls.size())};
  for (int tries = 0; static_cast<int>(shares.peaks.size()) < rounds && tries < 10 * rounds; ++tries) {
    std::vector<double> seconds;
    const double before = peak_f64_flops(threads);
    for (const auto& call : calls) seconds.push_back(seconds_of(1, call));
    const double after = peak_f64_flops(threads), peak = (before + after) / 2;
    if (std::abs(before - after) > largest_difference * peak) continue;
    shares.peaks.push_back(peak);
    for (std::size_t i = 0; i < calls.size(); ++i) shares.of_call[i].push_back(flops / seconds[i] / peak);
  }
  return shares;
}

double flops_of(const Shape& s, double per_product) {
  return per_product * static_cast<double>(s.batch * s.heads * s.queries * s.keys * s.dim);
}

void measure_forward(const Problem& problem, int threads, int rounds) {
  omp_set_num_threads(threads);
  const Inputs inputs = normal_inputs(problem);
  const auto certify = [&](bool escalate) {
    return certify_forward(problem, inputs, {.queries = {}, .escalate = escalate}).decisions;
  };
  const Shares shares =
      measure_rounds(threads, rounds, flops_of(problem.shape, 4), {[&] { certify(false); }, [&] { certify(true); }});
  if (shares.peaks.empty()) return fmt::print("{:7} {:40} no round with a steady peak\n", threads, problem.text());
  const Decisions decisions = certify(true);
  const double open = 1 - static_cast<double>(decisions.in_double) / static_cast<double>(decisions.total());
  fmt::print("{:7} {:40} {:10.1f} {:>20} {:>20} {:10.2g}\n", threads, problem.text(), median(shares.peaks) / 1e9,
             middle_and_ends(shares.of_call[0]), middle_and_ends(shares.of_call[1]), open);
}

void measure_backward(const Problem& problem, int threads, int rounds) {
  omp_set_num_threads(threads);
  const Inputs inputs = normal_inputs(problem);
  const auto certify = [&] { return certify_backward(problem, inputs, {.queries = {}, .keys = {}}).decisions; };
  const Shares shares = measure_rounds(threads, rounds, flops_of(problem.shape, 10), {[&] { certify(); }});
  if (shares.peaks.empty()) return fmt::print("{:7} {:40} no round with a steady peak\n", threads, problem.text());
  const Decisions decisions = certify();
  const double open = 1 - static_cast<double>(decisions.in_double) / static_cast<double>(decisions.total());
  fmt::print("{:7} {:40} {:10.1f} {:>20} {:>20} {:10.2g}\n", threads, problem.text(), median(shares.peaks) / 1e9,
             middle_and_ends(shares.of_call[0]), "", open);
}

/// One line of microseconds: what a call costs that is too small for shares.
void measure_call(const Problem& problem, int threads, int rounds) {
  constexpr int calls = 100;
  omp_set_num_threads(threads);
  const Inputs inputs = normal_inputs(problem);
  std::vector<double> plain, full;
  for (int round = 0; round < rounds; ++round)
    for (const bool escalate : {false, true})
      (escalate ? full : plain).push_back(seconds_of(calls, [&] {
        certify_forward(problem, inputs, {.queries = {}, .escalate = escalate});
      }));
  fmt::print("{:7} {:40} {:10.1f} {:10.1f}\n", threads, problem.text(), median(plain) * 1e6, median(full) * 1e6);
}

/// Measures every problem whose name contains `wanted` on one thread and on two.
template <class Measure>
void measure_all(std::initializer_list<const char*> problems, const std::string& wanted, int rounds, Measure measure) {
  for (const int threads : {1, 2})
    for (const std::string text : problems)
      if (text.find(wanted) != std::string::npos) measure(parse_problem(text), threads, rounds);
}

}  // namespace
}  // namespace attestone

int main(int argc, char** argv) {
  using namespace attestone;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  const std::string wanted = argc > 2 ? argv[2] : "";
  fmt::print(
      "share of the f64 multiply-add peak, median (least-most): with the bound alone, and with open elements\n"
      "escalated; and how many are open\n");
  fmt::print("{:>7} {:40} {:>10} {:>20} {:>20} {:>10}\n", "threads", "problem", "Gflop/s", "bound", "escalated",
             "open");
  measure_all({"shape=1x4x512x512x64", "shape=1x4x512x512x128", "shape=1x1x4096x4096x64", "shape=1x1x4096x4096x128",
               "shape=1x4x512x512x64 mask=causal", "shape=1x4x512x512x64 dtype=bf16",
               "shape=1x4x512x512x64 score=softcap:30", "shape=1x4x512x512x64 score=alibi"},
              wanted, rounds, measure_forward);
  measure_all({"shape=1x4x512x512x64 pass=forward+backward", "shape=1x4x512x512x128 pass=forward+backward",
               "shape=1x1x4096x4096x64 pass=forward+backward", "shape=1x1x4096x4096x128 pass=forward+backward"},
              wanted, rounds, measure_backward);
  fmt::print("\nmicroseconds a call\n{:>7} {:40} {:>10} {:>10}\n", "threads", "problem", "bound", "escalated");
  measure_all({"shape=1x1x1x1x1", "shape=1x2x17x33x16", "shape=1x2x64x64x64", "shape=1x2x128x128x64",
               "shape=1x2x64x64x64 mask=causal", "shape=1x2x64x64x64 score=alibi"},
              wanted, rounds, measure_call);
}
