// SPDX-License-Identifier: Apache-2.0
// A problem of one head, whose inputs are given.
#include "benchmarks/sage_tables/kernel_answer.hpp"

#include <fmt/format.h>

#include "backends/catalogue.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

void copy(const std::vector<double>& numbers, const View& to) {
  std::size_t at = 0;
  for_each_element(to, [&](index b, index h, index r, index c) { to.set(b, h, r, c, numbers[at++]); });
}

}  // namespace

std::vector<double> answer(const std::string& kernel, const HeadRows& head) {
  const Problem problem = parse_problem(fmt::format("shape=1x1x{}x{}x{} dtype=f16", head.queries, head.keys, head.dim));
  Inputs inputs(problem);
  copy(head.query, inputs.query.view());
  copy(head.key, inputs.key.view());
  copy(head.value, inputs.value.view());
  Outputs outputs(problem);
  Device device(FreshMemory::as_it_was);
  make_kernel(kernel)->forward(problem, arguments_of(problem, inputs, outputs), device);
  return packed_values(outputs.out.view());
}

}  // namespace attestone
