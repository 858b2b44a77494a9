// SPDX-License-Identifier: Apache-2.0
// Integer score products by vpdpbusd and by its twin, on one thread: operations a second, as shares of what the machine
// can do in the same rounds, and how long a kernel of codes takes beside them. Run: integer_scores [rounds]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <omp.h>
#include <random>
#include <vector>

#include "backends/catalogue.hpp"
#include "backends/cpu/simd/integer_products.hpp"
#include "conformance/bench/limits/dot_peak.hpp"
#include "conformance/trial/trial.hpp"

namespace attestone {
namespace {

double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

template <class Call>
double seconds_of(Call call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Codes of a head: queries row by row, keys as a kernel packs them.
struct Head {
  Head(index rows, index dim)
      : queries(static_cast<std::size_t>(rows * dim)),
        quads(static_cast<std::size_t>(rows * dim / QuadRows::channels)),
        sums(static_cast<std::size_t>(rows)),
        products(static_cast<std::size_t>(rows)),
        keys{quads.data(), sums.data(), rows, dim / QuadRows::channels} {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<int> code(-127, 127);
    for (std::int8_t& q : queries) q = static_cast<std::int8_t>(code(random));
    for (std::size_t quad = 0; quad < quads.size(); ++quad)
      for (int byte = 0; byte < static_cast<int>(QuadRows::channels); ++byte) {
        const int k = code(random);
        quads[quad] |= std::uint32_t{static_cast<std::uint8_t>(k)} << (8 * byte);
        sums[quad % sums.size()] += k;
      }
  }

  void multiply(MultiplyIntegers* by) {
    for (index query = 0; query < keys.rows; ++query)
      by(queries.data() + query * keys.quads_of_row * QuadRows::channels, keys, keys.rows, products.data());
  }

  std::vector<std::int8_t> queries;
  std::vector<std::uint32_t> quads;
  std::vector<std::int32_t> sums, products;
  QuadRows keys;
};

void measure(index rows, index dim, int rounds) {
  const Problem problem = parse_problem(fmt::format("shape=1x1x{}x{}x{} dtype=f16", rows, rows, dim));
  const SharedKernel kernel = make_kernel("sage_qk_int8_pv_fp8_cuda");
  Head head(rows, dim);
  const double operations = 2.0 * static_cast<double>(rows * rows * dim);
  std::vector<double> of_peak, by_dots, by_twin, of_kernel;
  for (int round = 0; round < rounds; ++round) {
    const double peak = peak_int8_operations(1), dots = seconds_of([&] { head.multiply(multiply_integers_by_dots); }),
                 twin = seconds_of([&] { head.multiply(multiply_integers_as_dots); });
    Trial trial(*kernel, problem);
    of_peak.push_back(operations / dots / peak);
    by_dots.push_back(operations / dots / 1e9);
    by_twin.push_back(dots / twin);
    trial.answer();
    of_kernel.push_back(dots / trial.times.kernel);
  }
  fmt::print("{:6} {:4} {:14.1f} {:18.3f} {:14.1f} {:20.4f}\n", rows, dim, median(by_dots), median(of_peak),
             1 / median(by_twin), median(of_kernel));
}

}  // namespace
}  // namespace attestone

int main(int argc, char** argv) {
  using namespace attestone;
  if (!machine_has_integer_dots() || !has_int8_dot()) {
    fmt::print("this machine has no vpdpbusd\n");
    return 0;
  }
  omp_set_num_threads(1);
  fmt::print("{:>6} {:>4} {:>14} {:>18} {:>14} {:>20}\n", "rows", "dim", "Gop/s by dots", "share of the peak",
             "times the twin", "share of the kernel");
  for (const int rows : {256, 1024})
    for (const int dim : {64, 128}) measure(rows, dim, argc > 1 ? std::atoi(argv[1]) : 7);
}
