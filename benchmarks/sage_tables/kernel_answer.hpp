// SPDX-License-Identifier: Apache-2.0
// The same of a kernel of the catalogue, which also rounds what it computes.
#pragma once

#include <string>

#include "benchmarks/sage_tables/method.hpp"

namespace attestone {

/// O of the kernel, "sage_qk_int8_pv_fp16_cuda:accumulator=fp16": [queries, dim]. UserError if nothing has that name.
std::vector<double> answer(const std::string& kernel, const HeadRows&);

}  // namespace attestone
