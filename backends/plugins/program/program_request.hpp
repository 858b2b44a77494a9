// SPDX-License-Identifier: Apache-2.0
// The request to a program: the problem's facts as texts, and packed tensors.
#pragma once

#include "backends/kernel.hpp"
#include "backends/plugins/program/frame.hpp"

namespace attestone::inline backends {

/// Asks for name, numerics, limits and passes.
Frame describe_request();
/// Tensors query, key, value and those of their scales, block_table, mask, bias, sink, alibi_slopes, query_lengths,
/// key_lengths that there are.
Frame forward_request(const Problem&, const KernelInputs&);
/// The request of a backward pass, which adds out, log_sum_exp and dout.
Frame backward_request(const Problem&, const KernelInputs&, const ConstView& out, const ConstView& log_sum_exp,
                       const ConstView& dout);

}  // namespace attestone::inline backends
