// SPDX-License-Identifier: Apache-2.0
// Two answers in double, row by row, and what the errors of single codes may add up to.
#include "benchmarks/method_errors/measured.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <omp.h>
#include <vector>

#include "backends/catalogue.hpp"
#include "conformance/problems/fill.hpp"
#include "reference/error_bound/forward/coded_row.hpp"
#include "reference/files/safetensors.hpp"
#include "reference/quantization/rows_as_read.hpp"

namespace attestone {
namespace {

/// The numbers that became codes, row by row, and the error of each code.
struct Coded {
  std::vector<double> before, error;
};

Coded coded(const ConstView& from, index head, const OperandCodes& codes, double factor) {
  const index rows = from.extents()[2], channels = from.extents()[3];
  Coded all;
  for (index r = 0; r < rows; ++r)
    for (index c = 0; c < channels; ++c) all.before.push_back(from.value(0, head, r, c));
  all.error.resize(all.before.size());
  if (!codes.happen()) return all;
  const std::vector<double> given = all.before;
  const RowsAsRead read = rows_as_read(given, channels, codes, from.dtype(), factor);
  all.before = read.before;
  for (std::size_t at = 0; at < all.error.size(); ++at) {
    const index mean =
        static_cast<index>(at) / channels / read.mean_rows * channels + static_cast<index>(at) % channels;
    // What a mean leaves is rounded, too, before it becomes a code.
    const double lost = codes.centring == Centring::none || codes.rotated || factor != 1
                            ? 0
                            : given[at] - read.mean[static_cast<std::size_t>(mean)] - read.before[at];
    all.error[at] = std::abs(read.numbers[at] - read.before[at] - lost);
  }
  return all;
}

/// One head of one layer.
class Head {
 public:
  Head(const Problem& problem, const Inputs& inputs, const Numerics& numerics, index head)
      : shape_(problem.shape),
        scale_(numerics.score.scaled_before_codes ? M_LN2 : problem.scale()),
        query_(coded(inputs.query.view(), head, numerics.score.query_codes,
                     numerics.score.scaled_before_codes ? problem.scale() * 1.44269504 : 1)),
        key_(coded(inputs.key.view(), head, numerics.score.key_codes, 1)),
        value_(coded(inputs.value.view(), head, numerics.value.codes, 1)),
        values_(coded(inputs.value.view(), head, {}, 1).before) {}

  /// How far the answer to the codes may be from `truth`, channel by channel: scores err by at most what those of
  /// single codes add up to, and weights p by p (e^(delta + D) - 1), of D = log sum p e^delta; and no mean leaves the
  /// range of V (docs/tolerance.md, "Codes").
  std::vector<double> bound(index query, const std::vector<double>& weights, const std::vector<double>& truth) const {
    const auto dim = static_cast<std::size_t>(shape_.dim), keys = weights.size();
    std::vector<double> delta(keys), all(truth.size()), farthest(truth.size());
    double total = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      for (std::size_t c = 0; c < dim; ++c) {
        const std::size_t q = static_cast<std::size_t>(query) * dim + c, k = j * dim + c;
        delta[j] +=
            std::abs(query_.before[q]) * key_.error[k] + query_.error[q] * (std::abs(key_.before[k]) + key_.error[k]);
      }
      delta[j] *= scale_;
      total += weights[j] * std::exp(delta[j]);
    }
    for (std::size_t j = 0; j < keys; ++j) {
      const double moved = std::expm1(delta[j] + std::log(total));
      for (std::size_t c = 0; c < all.size(); ++c) {
        const std::size_t v = j * all.size() + c;
        all[c] += weights[j] * (moved * std::abs(values_[v] - truth[c]) + (1 + moved) * value_.error[v]);
        farthest[c] = std::max(farthest[c], std::abs(values_[v] - truth[c]) + value_.error[v]);
      }
    }
    for (std::size_t c = 0; c < all.size(); ++c) all[c] = std::min(all[c], farthest[c]);
    return all;
  }

 private:
  Shape shape_;
  double scale_;
  Coded query_, key_, value_;
  std::vector<double> values_;
};

}  // namespace

double Sums::cosine() const { return product / std::sqrt(truth_squares * coded_squares); }
double Sums::root_mean(double squares) const { return std::sqrt(squares / count); }

Sums measured(const Kernel& kernel, const Problem& problem) {
  const Inputs inputs = filled(problem);
  const Numerics numerics = kernel.numerics(problem), bare = without_codes(numerics);
  Outputs outputs(problem);
  Device device(FreshMemory::as_it_was);
  kernel.forward(problem, arguments_of(problem, inputs, outputs), device);
  const DecodedInputs given(problem, inputs);
  const CodedInputs codes(problem, inputs, numerics);
  const index queries = problem.shape.queries;
  Sums all;
#pragma omp parallel for schedule(dynamic)
  for (index h = 0; h < problem.shape.heads; ++h) {
    const Head head(problem, inputs, numerics, h);
    Sums own;
    for (index i = 0; i < queries; ++i) {
      const ForwardRow truth(given, bare, 0, h, i), coded_row(codes.decoded, bare, 0, h, i);
      const std::vector<double> bound = head.bound(i, truth.weights().share, truth.sums().out);
      for (index c = 0; c < problem.shape.value_dim; ++c) {
        const auto at = static_cast<std::size_t>(c);
        const GivenBack mean = value_given_back(codes.coded, bare, 0, h, c, coded_row.sums().out[at]);
        const double o = truth.sums().out[at], of_codes = coded_row.sums().out[at] + mean.value;
        const double got = outputs.out.view().value(0, h, i, c);
        own.count += 1, own.truth_size += std::abs(o), own.truth_squares += o * o;
        own.coded_squares += of_codes * of_codes, own.product += o * of_codes;
        own.method_size += std::abs(of_codes - o), own.method_squares += std::pow(of_codes - o, 2);
        own.method_bound += std::pow(bound[at], 2);
        own.kernel_squares += std::pow(got - of_codes, 2),
            own.kernel_bound += std::pow(coded_row.out(c) + mean.error, 2);
        // Both answers are computed in double.
        own.beyond += std::abs(of_codes - o) > bound[at] + truth.noise(at) + coded_row.noise(at) ? 1 : 0;
      }
    }
#pragma omp critical
    all += own;
  }
  return all;
}

Layers::Layers(std::string file, int layers, std::string shape)
    : file_(std::move(file)), digest_(read_safetensors(file_).digest()), shape_(std::move(shape)), layers_(layers) {}

Problem Layers::problem(int layer) const {
  return parse_problem(fmt::format("shape={} dtype=f16 fill=capture:{}:layer{}:{}", shape_, file_, layer, digest_));
}

Sums measured(const Layers& layers, const std::function<std::string(int)>& kernel) {
  Sums all;
  for (int layer = 0; layer < layers.count(); ++layer)
    all += measured(*make_kernel(kernel(layer)), layers.problem(layer));
  if (all.beyond > 0) throw std::runtime_error(fmt::format("{}: a bound is exceeded", kernel(0)));
  return all;
}

}  // namespace attestone
