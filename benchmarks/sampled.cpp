// SPDX-License-Identifier: Apache-2.0
// What the truth of sampled rows costs at the shapes of a video model, and that it grows with the length and no faster.
// Run: sampled_benchmark ['shape=...']
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <sys/resource.h>

#include "conformance/problems/fill.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

constexpr index random_rows = 16;

template <class Work>
double seconds_of(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The most memory that this process has held, in GiB.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1 << 20);
}

void measure(const Problem& problem) {
  const Shape& s = problem.shape;
  std::optional<Inputs> inputs;
  const double filling = seconds_of([&] { inputs.emplace(filled(problem)); });
  const std::vector<index> rows = sampled_rows(s.queries, random_rows, problem.seed);
  const double truth = seconds_of([&] { certify_forward(problem, *inputs, {.queries = rows}); });
  const double pairs = static_cast<double>(s.batch * s.heads * std::ssize(rows)) * static_cast<double>(s.keys);
  fmt::print(
      "{:>8} keys{:>6} rows a head{:>9.1f} s to fill{:>9.1f} s for the truth{:>8.1f} ns a pair{:>7.1f} GiB at most\n",
      s.keys, rows.size(), filling, truth, truth / pairs * 1e9, peak_memory());
}

void measure_lengths(const Problem& whole) {
  fmt::print("{}\n", whole.text());
  for (const index part : {8, 4, 2, 1}) {
    Problem problem = whole;
    problem.shape.queries /= part, problem.shape.keys /= part;
    measure(problem);
  }
}

}  // namespace
}  // namespace attestone

int main(int argc, char** argv) {
  try {
    attestone::measure_lengths(attestone::parse_problem(argc > 1 ? argv[1] : "shape=1x40x75600x75600x128 dtype=bf16"));
  } catch (const attestone::UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
