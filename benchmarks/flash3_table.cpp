// SPDX-License-Identifier: Apache-2.0
// Table 3 of FlashAttention-3 (arXiv 2407.08608): the root mean square error of O for inputs with outliers, by kernel,
// beside what is published; and by dim and number of keys, as the published shape is not known (docs/quantized.md).
// Run: flash3_table [sweep]
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <omp.h>
#include <vector>

#include "backends/catalogue.hpp"
#include "backends/cpu/simd/codes.hpp"
#include "conformance/problems/fill.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

constexpr int seeds[] = {1, 2, 3, 4, 5};

/// Q, K and V, [heads, rows, dim].
struct Numbers {
  explicit Numbers(const Inputs& inputs)
      : query(packed_values(inputs.query.view())),
        key(packed_values(inputs.key.view())),
        value(packed_values(inputs.value.view())) {}
  std::vector<double> query, key, value;
};

/// O of one query of all heads' in double, or with scores and weights that are stored in f16.
std::vector<double> row(const Numbers& numbers, const Shape& shape, index query, bool in_f16) {
  const auto dim = static_cast<std::size_t>(shape.dim), keys = static_cast<std::size_t>(shape.keys);
  const auto head = static_cast<std::size_t>(query / shape.queries);
  const double* q = numbers.query.data() + static_cast<std::size_t>(query) * dim;
  const double *k = numbers.key.data() + head * keys * dim, *v = numbers.value.data() + head * keys * dim;
  const double scale = 1 / std::sqrt(static_cast<double>(dim));
  const auto stored = [&](double x) { return in_f16 ? double{rounded_to_f16(static_cast<float>(x))} : x; };
  std::vector<double> weights(keys), out(dim);
  double largest = -INFINITY, sum = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    double s = 0;
    for (std::size_t c = 0; c < dim; ++c) s += q[c] * k[j * dim + c];
    weights[j] = stored(stored(s) * scale);
    largest = std::max(largest, weights[j]);
  }
  for (double& w : weights) sum += w = std::exp(w - largest);
  for (std::size_t j = 0; j < keys; ++j) {
    const double p = stored(weights[j] / sum);
    for (std::size_t c = 0; c < dim; ++c) out[c] += p * v[j * dim + c];
  }
  return out;
}

/// Inputs of f32 in f16, as a user has them.
Inputs rounded(const Problem& problem, const Inputs& from) {
  Inputs to(problem);
  const auto copy = [](const ConstView& given, const View& kept) {
    for_each_element(given, [&](index b, index h, index r, index c) { kept.set(b, h, r, c, given.value(b, h, r, c)); });
  };
  copy(from.query.view(), to.query.view());
  copy(from.key.view(), to.key.view());
  copy(from.value.view(), to.value.view());
  return to;
}

/// Who is measured: a kernel of the catalogue, or attention whose steps are stored in f16.
struct Row {
  const char* what;
  const char* kernel;  ///< empty: the latter
  const char* published;
};
constexpr Row rows[] = {
    {"scores and weights stored in f16", "", "3.2e-4"},
    {"FlashAttention in f16", "flash", "1.9e-4"},
    {"FP8, scales of heads", "flash3_fp8:scales=tensor:incoherent=0", "2.4e-2"},
    {"FP8, scales of blocks", "flash3_fp8:incoherent=0", "2.4e-2"},
    {"FP8, scales of heads, rotated", "flash3_fp8:scales=tensor", "9.3e-3"},
    {"FP8, scales of blocks, rotated: FlashAttention-3", "flash3_fp8", "9.1e-3"},
};

/// The error of each row, on 16 heads with 64 queries of each.
std::vector<double> errors(index keys, index dim, int seed) {
  const std::string shape = fmt::format("shape=1x16x64x{}x{} fill=outliers seed={} ", keys, dim, seed);
  const Problem exact = parse_problem(shape + "dtype=f32"), given = parse_problem(shape + "dtype=f16");
  const Inputs inputs = filled(exact), in_f16 = rounded(given, inputs);
  const Numbers numbers(inputs), rounded_numbers(in_f16);
  const Shape& s = exact.shape;
  const index count = s.heads * s.queries;
  std::vector<std::vector<double>> truth(static_cast<std::size_t>(count)), steps(truth);
#pragma omp parallel for schedule(dynamic)
  for (index r = 0; r < count; ++r) {
    truth[static_cast<std::size_t>(r)] = row(numbers, s, r, false);
    steps[static_cast<std::size_t>(r)] = row(rounded_numbers, s, r, true);
  }
  std::vector<double> all;
  for (const Row& one : rows) {
    Outputs outputs(given);
    Device device(FreshMemory::as_it_was);
    if (*one.kernel) make_kernel(one.kernel)->forward(given, arguments_of(given, in_f16, outputs), device);
    double squares = 0;
    for (index r = 0; r < count; ++r)
      for (index c = 0; c < dim; ++c) {
        const auto at = static_cast<std::size_t>(r), channel = static_cast<std::size_t>(c);
        const double got =
            *one.kernel ? outputs.out.view().value(0, r / s.queries, r % s.queries, c) : steps[at][channel];
        squares += std::pow(got - truth[at][channel], 2);
      }
    all.push_back(std::sqrt(squares / static_cast<double>(count * dim)));
  }
  return all;
}

/// Prints the mean error of each row over the seeds, and the least and the largest.
void print_table(index keys, index dim) {
  std::vector<std::vector<double>> by_seed;
  for (const int seed : seeds) by_seed.push_back(errors(keys, dim, seed));
  fmt::print("\ndim {}, {} keys, 16 heads of 64 queries, seeds 1 to 5\n\n", dim, keys);
  fmt::print("| kernel | published | mean | seeds |\n|---|---|---|---|\n");
  for (std::size_t r = 0; r < std::size(rows); ++r) {
    double sum = 0, least = INFINITY, most = 0;
    for (const std::vector<double>& one : by_seed)
      sum += one[r], least = std::min(least, one[r]), most = std::max(most, one[r]);
    fmt::print("| {} | {} | {:.2e} | {:.2e} to {:.2e} |\n", rows[r].what, rows[r].published,
               sum / static_cast<double>(by_seed.size()), least, most);
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace attestone

int main(int argc, char**) {
  attestone::print_table(8192, 128);
  if (argc < 2) return 0;
  for (const attestone::index dim : {64, 128})
    for (const attestone::index keys : {1024, 2048, 4096, 8192})
      if (dim != 128 || keys != 8192) attestone::print_table(keys, dim);
}
