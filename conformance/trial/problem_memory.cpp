// SPDX-License-Identifier: Apache-2.0
// Adding up tensors from a problem's text alone.
#include "conformance/trial/problem_memory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/mman.h>

#include "conformance/trial/trial.hpp"
#include "reference/call/tensors.hpp"
#include "reference/certified/numbers/certified.hpp"
#include "reference/tensor/machine_memory.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

/// Bytes from which a tensor may have memory for its rows alone (reference/tensor/sparse_memory.hpp).
constexpr double far_apart = 0x1p28;

double real(index extent) { return static_cast<double>(extent); }

/// The bytes from the first element to the last of a tensor that the layout places. Elements may share places.
double span_of(const Problem& problem, TensorName tensor) {
  const Layout& layout = layout_of(problem, tensor);
  const Extents extents = extents_of(problem, tensor);
  const Strides strides = strides_of(problem, tensor);
  double last = 0;
  for (std::size_t axis = layout.ragged ? 1 : 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 0) return 0;
    index longest = extents[axis];
    if (layout.ragged && axis == 2) {  // the sequences behind each other
      longest = 0;
      for (index b = 0; b < problem.shape.batch; ++b)
        longest += tensor == TensorName::key || tensor == TensorName::value ? problem.sequence(b).keys
                                                                            : problem.sequence(b).queries;
    }
    last += real(longest - 1) * real(strides[axis]);
  }
  return (last + 1) * real(format_of(problem, tensor).storage_bits()) / 8;
}

/// The bytes of a tensor, without the gaps between rows far apart: there a row takes the pages that it touches.
double bytes_of(const Problem& problem, TensorName tensor) {
  constexpr double pages_of_a_row = 8192;
  const Extents e = extents_of(problem, tensor);
  const double rows = real(e[0]) * real(e[1]) * real(e[2]);
  const double row = real(e[3]) * real(format_of(problem, tensor).storage_bits()) / 8 + pages_of_a_row;
  const double span = span_of(problem, tensor);
  return span < far_apart ? span : std::min(span, rows * row);
}

struct Sizes {
  double query, key, value, bias, out, log_sum_exp;

  explicit Sizes(const Problem& p) {
    const Shape& s = p.shape;
    query = bytes_of(p, TensorName::query);
    key = bytes_of(p, TensorName::key);
    value = bytes_of(p, TensorName::value);
    out = bytes_of(p, TensorName::out);
    log_sum_exp = real(p.log_sum_exp_dtype().bytes(s.rows()));
    bias = 0;
    if (const auto kind = p.score.bias_tensor()) {
      const double batch = *kind == "head" || *kind == "pair" ? 1 : real(s.batch);
      const double heads = *kind == "full" || *kind == "head" ? real(s.heads) : 1;
      bias = batch * heads * (*kind == "key" ? 1 : real(s.queries)) * real(s.keys) * real(p.input.storage_bits()) / 8;
    }
  }
  double inputs(bool backward) const { return query + key + value + bias + (backward ? out : 0); }
  double outputs() const { return out + log_sum_exp; }
  double gradients() const { return query + key + value + bias; }
};

double truth_bytes(const Problem& problem) {
  if (is_sampled(problem)) return 0;
  return real(problem.shape.rows()) * real(problem.shape.value_dim + 1) * real(sizeof(Certified));
}

/// Tensors of a problem that are there at the same time: those of the trial, copies that are handed to the kernel,
/// those that a door shows, and those of another call that a relation compares.
constexpr double times_at_once = 4;

std::string gigabytes(double bytes) { return fmt::format("{:.3g} GB", bytes / 1e9); }

}  // namespace

double least_memory(const Problem& problem, const Kernel& kernel) {
  const Sizes sizes(problem);
  const Shape& s = problem.shape;
  double bytes = 2 * sizes.inputs(problem.backward) + sizes.outputs() + truth_bytes(problem);
  if (problem.backward) bytes += sizes.gradients();
  if (kernel.wants_mask_bytes(problem)) bytes += real(s.batch) * real(s.queries) * real(s.keys);
  // A kernel from outside would have to be called for its own.
  if (!kernel.fingerprint()) bytes += real(kernel.forward_bytes(problem));
  return bytes;
}

std::string denied_addresses(const Problem& problem) {
  double bytes = 0;
  for (const TensorName tensor : placed_tensors())
    if (const double span = span_of(problem, tensor); span >= far_apart) bytes += span;
  if (bytes == 0) return {};
  bytes *= times_at_once;
  if (bytes >= 0x1p62) return fmt::format("no machine has {} of addresses", gigabytes(bytes));
  const auto size = static_cast<std::size_t>(bytes);
  void* const got = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    return fmt::format("this machine denies the {} of addresses that rows so far apart take", gigabytes(bytes));
  munmap(got, size);
  return {};
}

void check_memory(const std::vector<Problem>& problems, const Kernel& kernel) {
  const auto there_is = static_cast<double>(machine_memory());
  for (const Problem& problem : problems) {
    if (!kernel.supports(problem)) continue;
    const double needed = least_memory(problem, kernel);
    if (needed > there_is)
      throw UserError(fmt::format("judging {} on this takes at least {}, and there are {}", kernel.name(),
                                  gigabytes(needed), gigabytes(there_is)),
                      Place{problem.text(), 0, problem.text().find(' ')}, "make the shape smaller");
  }
}

}  // namespace attestone::inline conformance
