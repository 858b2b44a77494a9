// SPDX-License-Identifier: Apache-2.0
// How fast the certified truth is: 4 N^2 D flops per head (gradients: 10 N^2 D) over its processor time, as a share of
// the f64 multiply-add peak of the same rounds, and what a small call costs. Processor time, because it says the same
// beside other work; the share by the clock stands next to it. Run: certified_benchmark [rounds [part of a name]]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <functional>
#include <omp.h>
#include <random>

#include "conformance/bench/limits/peak.hpp"
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

/// Seconds of one call: processor time of all threads, and time by the clock.
struct Seconds {
  double processor, clock;
};

template <class Call>
Seconds seconds_of(int calls, Call call) {
  const auto now = [](clockid_t of) {
    timespec time{};
    clock_gettime(of, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double processor = now(CLOCK_PROCESS_CPUTIME_ID), clock = now(CLOCK_MONOTONIC);
  for (int i = 0; i < calls; ++i) call();
  return {(now(CLOCK_PROCESS_CPUTIME_ID) - processor) / calls, (now(CLOCK_MONOTONIC) - clock) / calls};
}

/// Flops of one processor in a second of its time, while `threads` of them are at work.
double peak_of_processor(int threads) {
  double of_clock = 0;
  const Seconds seconds = seconds_of(1, [&] { of_clock = peak_f64_flops(threads); });
  return of_clock * seconds.clock / seconds.processor;
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
  std::vector<std::vector<double>> of_call;   ///< [call][round]
  std::vector<std::vector<double>> by_clock;  ///< the same: of all threads' peak, by the clock
};

/// A round is peak, calls, peak. It counts if both peaks agree: on a shared machine the others do not.
Shares measure_rounds(int threads, int rounds, double flops, const std::vector<std::function<void()>>& calls) {
  Shares shares{{}, std::vector<std::vector<double>>(calls.size()), std::vector<std::vector<double>>(calls.size())};
  for (int tries = 0; static_cast<int>(shares.peaks.size()) < rounds && tries < 10 * rounds; ++tries) {
    std::vector<Seconds> seconds;
    const double before = peak_of_processor(threads);
    for (const auto& call : calls) seconds.push_back(seconds_of(1, call));
    const double after = peak_of_processor(threads), peak = (before + after) / 2;
    if (std::abs(before - after) > largest_difference * peak) continue;
    shares.peaks.push_back(peak);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      shares.of_call[i].push_back(flops / seconds[i].processor / peak);
      shares.by_clock[i].push_back(flops / seconds[i].clock / (peak * threads));
    }
  }
  return shares;
}

double flops_of(const Shape& s, double per_product) {
  return per_product * static_cast<double>(s.batch * s.heads * s.queries * s.keys * s.dim);
}

void print_shares(int threads, const Problem& problem, const Shares& shares, double open) {
  const std::string escalated = shares.of_call.size() > 1 ? middle_and_ends(shares.of_call[1]) : "";
  fmt::print("{:7} {:44} {:8.1f} {:>20} {:6.3f} {:>20} {:8.2g}\n", threads, problem.text(), median(shares.peaks) / 1e9,
             middle_and_ends(shares.of_call[0]), median(shares.by_clock[0]), escalated, open);
}

void measure_forward(const Problem& problem, int threads, int rounds) {
  omp_set_num_threads(threads);
  const Inputs inputs = normal_inputs(problem);
  const auto certify = [&](bool escalate) {
    return certify_forward(problem, inputs, {.queries = {}, .escalate = escalate}).decisions;
  };
  const Shares shares =
      measure_rounds(threads, rounds, flops_of(problem.shape, 4), {[&] { certify(false); }, [&] { certify(true); }});
  if (shares.peaks.empty()) return fmt::print("{:7} {:44} no round with a steady peak\n", threads, problem.text());
  const Decisions decisions = certify(true);
  const double open = 1 - static_cast<double>(decisions.in_double) / static_cast<double>(decisions.total());
  print_shares(threads, problem, shares, open);
}

void measure_backward(const Problem& problem, int threads, int rounds) {
  omp_set_num_threads(threads);
  const Inputs inputs = normal_inputs(problem);
  const auto certify = [&] { return certify_backward(problem, inputs, {.queries = {}, .keys = {}}).decisions; };
  const Shares shares = measure_rounds(threads, rounds, flops_of(problem.shape, 10), {[&] { certify(); }});
  if (shares.peaks.empty()) return fmt::print("{:7} {:44} no round with a steady peak\n", threads, problem.text());
  const Decisions decisions = certify();
  const double open = 1 - static_cast<double>(decisions.in_double) / static_cast<double>(decisions.total());
  print_shares(threads, problem, shares, open);
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
                                          }).processor);
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
      "share of the f64 multiply-add peak, median (least-most), by processor time: with the bound alone (and by the\n"
      "clock), and with open elements escalated; and how many are open\n");
  fmt::print("{:>7} {:44} {:>8} {:>20} {:>6} {:>20} {:>8}\n", "threads", "problem", "Gflop/s", "bound", "clock",
             "escalated", "open");
  measure_all({"shape=1x4x512x512x64", "shape=1x4x512x512x128", "shape=1x1x4096x4096x64", "shape=1x1x4096x4096x128",
               "shape=1x4x512x512x64 mask=causal", "shape=1x4x512x512x64 dtype=bf16",
               "shape=1x4x512x512x64 score=softcap:30", "shape=1x4x512x512x64 score=alibi"},
              wanted, rounds, measure_forward);
  measure_all({"shape=1x4x512x512x64 pass=forward+backward", "shape=1x4x512x512x128 pass=forward+backward",
               "shape=1x1x4096x4096x64 pass=forward+backward", "shape=1x1x4096x4096x128 pass=forward+backward"},
              wanted, rounds, measure_backward);
  fmt::print("\nmicroseconds of processor time a call\n{:>7} {:40} {:>10} {:>10}\n", "threads", "problem", "bound",
             "escalated");
  measure_all({"shape=1x1x1x1x1", "shape=1x2x17x33x16", "shape=1x2x64x64x64", "shape=1x2x128x128x64",
               "shape=1x2x64x64x64 mask=causal", "shape=1x2x64x64x64 score=alibi"},
              wanted, rounds, measure_call);
}
