// SPDX-License-Identifier: Apache-2.0
// Holding a kernel to other codes, one after the other, and its log_sum_exp to what a mean was given back.
#include "conformance/run/explain_by_codes.hpp"

#include <algorithm>
#include <numeric>

#include "backends/changed_kernel.hpp"
#include "conformance/diagnosis/declarations/known_codes.hpp"
#include "conformance/run/run.hpp"
#include "reference/quantization/rows_as_read.hpp"
#include "reference/registry.hpp"
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

/// The kernel, and to log_sum_exp of each row the scaled product of its query with the mean of K is added: exact, of
/// the mean that the kernel declares. Of a kernel whose K loses the mean of all rows; it must outlive what comes back.
ChangedKernel giving_mean_back(const Kernel& kernel) {
  const auto forward = [](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    if (!arguments.log_sum_exp.exists()) return;
    const OperandCodes codes = honest.numerics(problem).score.key_codes;
    give_back(problem, codes, honest.conventions().log_sum_exp_unit(), arguments);
  };
  return {kernel, {.forward = forward}};
}

/// Problems with blocks of every size that kernels have, and a part of one; the cheap ones first.
std::vector<Problem> longer(const Problem& failed) {
  std::vector<Problem> all;
  for (const auto& [batch, queries, keys, fill] : {std::tuple<index, index, index, const char*>{2, 9, 70, "normal"},
                                                   {1, 40, 150, "channel_offset"},
                                                   {1, 130, 20, "normal"},
                                                   {1, 150, 300, "outliers"},
                                                   {1, 300, 300, "normal"}}) {
    Problem problem = failed;
    problem.shape.batch = batch, problem.shape.heads = 2, problem.shape.kv_heads = 1;
    problem.shape.queries = queries, problem.shape.keys = keys;
    problem.lengths.clear(), problem.query_lengths.clear();
    problem.mask = Mask();
    problem.fill = parse_problem(std::string("shape=1x1x1x1x1 fill=") + fill).fill;
    problem.seed = failed.seed + static_cast<std::uint64_t>(keys);
    all.push_back(std::move(problem));
  }
  return all;
}

class OtherCodes {
 public:
  OtherCodes(const Kernel& kernel, const Failure& failure, const Stop& stop)
      : kernel_(kernel), property_(*failure.property), stop_(stop), problems_{failure.least, failure.first} {
    for (Problem& problem : longer(failure.first))
      if (kernel.takes(problem)) problems_.push_back(std::move(problem));
  }

  std::optional<SufficientDeclaration> declaration() {
    for (const KnownCodes& codes : known_codes(kernel_.numerics(problems_.front())))
      if (passes(declaring(kernel_, codes.declares)))
        return SufficientDeclaration{{codes.says}, codes.declares, std::ssize(problems_)};
    return std::nullopt;
  }

  /// True if the kernel would pass if log_sum_exp had the mean of all K.
  bool lacks_mean() {
    const OperandCodes codes = kernel_.numerics(problems_.front()).score.key_codes;
    return codes.centring != Centring::none && codes.mean_rows == 0 && passes(giving_mean_back(kernel_));
  }

 private:
  /// True if no answer of the other kernel is wrong, and three are no weak cases. The problem that refuted the last one
  /// is asked first.
  bool passes(const Kernel& other) {
    constexpr std::size_t least_problems = 4;
    if (problems_.size() < least_problems) return false;
    index passed = 0;
    const auto refutes = [&](const Problem& problem) {
      stop_.check();
      const Outcome outcome = examine_case(other, property_, problem).outcome;
      passed += outcome == Outcome::passed ? 1 : 0;
      return outcome == Outcome::failed;
    };
    const auto refuter = std::ranges::find_if(problems_, refutes);
    if (refuter == problems_.end()) return passed >= 3;
    std::rotate(problems_.begin(), refuter, refuter + 1);
    return false;
  }

  const Kernel& kernel_;
  const Property& property_;
  const Stop& stop_;
  std::vector<Problem> problems_;
};

/// A missed answer to the codes; null if there is none.
const Failure* failure_of_codes(const KernelRun& run) {
  const auto failure = std::ranges::find_if(run.failures, [](const Failure& each) {
    return each.property && each.property->of_codes && each.verdict.reason != "wrong-non-finite";
  });
  return failure == run.failures.end() ? nullptr : &*failure;
}

}  // namespace

std::optional<SufficientDeclaration> other_codes(const Kernel& kernel, const KernelRun& run, const Stop& stop) {
  const Failure* failure = failure_of_codes(run);
  return failure ? OtherCodes(kernel, *failure, stop).declaration() : std::nullopt;
}

std::optional<Finding> missing_mean(const Kernel& kernel, const KernelRun& run, const Stop& stop) {
  const Failure* failure = failure_of_codes(run);
  if (!failure || failure->verdict.reason != "wrong-log-sum-exp" || !OtherCodes(kernel, *failure, stop).lacks_mean())
    return std::nullopt;
  return Finding{
      .name = "log_sum_exp:mean_missing",
      .says = "log_sum_exp lacks what scores lost with the mean of K",
      .look_at = "what is added to log_sum_exp behind the kernel: the scaled product of a query with that mean",
      .problem = failure->first.text()};
}

}  // namespace attestone::inline conformance
