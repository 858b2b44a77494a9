// SPDX-License-Identifier: Apache-2.0
// The mean of each sequence and kv head, and its product with every query that reads them.
#include "conformance/diagnosis/declarations/mean_given_back.hpp"

#include <numeric>

#include "reference/quantization/rows_as_read.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

/// [dim] of the keys of one sequence and kv head.
std::vector<double> mean_of(const Problem& problem, const ConstView& key, const OperandCodes& codes, index batch,
                            index kv_head) {
  const auto dim = static_cast<std::size_t>(problem.shape.dim);
  std::vector<double> rows(static_cast<std::size_t>(problem.sequence(batch).keys) * dim);
  const RowReader reader(key);
  for (std::size_t at = 0; at < rows.size(); at += dim)
    reader.read(batch, kv_head, static_cast<index>(at / dim), std::span(rows).subspan(at, dim));
  std::vector<double> mean = rows_as_read(rows, problem.shape.dim, codes, key.dtype(), 1).mean;
  mean.resize(dim);
  return mean;
}

void give_back(const Problem& problem, const OperandCodes& codes, double unit, const Arguments& arguments) {
  const RowReader queries(arguments.query);
  std::vector<double> query(static_cast<std::size_t>(problem.shape.dim));
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h) {
      const std::vector<double> mean = mean_of(problem, arguments.key, codes, b, problem.shape.kv_head(h));
      for (index i = 0; i < problem.sequence(b).queries; ++i) {
        queries.read(b, h, i, query);
        const double product = std::inner_product(query.begin(), query.end(), mean.begin(), 0.0);
        const double before = arguments.log_sum_exp.value(b, h, i, 0);
        arguments.log_sum_exp.set(b, h, i, 0, before + problem.scale() * product / unit);
      }
    }
}

}  // namespace

ChangedKernel giving_mean_back(const Kernel& kernel) {
  const auto forward = [](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    if (!arguments.log_sum_exp.exists()) return;
    const OperandCodes codes = honest.numerics(problem).score.key_codes;
    give_back(problem, codes, honest.conventions().log_sum_exp_unit(), arguments);
  };
  return {kernel, {.forward = forward}};
}

}  // namespace attestone::inline conformance
