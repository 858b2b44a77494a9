// SPDX-License-Identifier: Apache-2.0
// From a call as it travels to the arguments that a kernel is handed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "backends/plugins/protocol/kernel.h"
#include "backends/plugins/protocol/wire.hpp"

namespace attestone::inline backends::wire {

/// The place as a tensor whose elements are at `data`; shape and strides stay where they are.
inline attestone_tensor tensor_at(TensorPlace& place, std::byte* data) {
  constexpr int on_the_cpu = 1;  // DLPack's kDLCPU
  attestone_tensor tensor{};
  tensor.data = data;
  tensor.device.type = on_the_cpu;
  tensor.ndim = place.dimensions;
  tensor.dtype.code = place.code;
  tensor.dtype.bits = place.bits;
  tensor.dtype.lanes = 1;
  tensor.shape = place.shape;
  tensor.strides = place.strides;
  return tensor;
}

/// Everything but the message. `address_of` says where the bytes of a region are, null for one that is not present. The
/// arguments point into the call.
template <class AddressOf>
void fill(attestone_args& args, Call& call, const AddressOf& address_of) {
  args.size = sizeof(attestone_args);
  args.abi_version = ATTESTONE_ABI_VERSION;
  args.batch = call.batch, args.heads = call.heads, args.kv_heads = call.kv_heads;
  args.queries = call.queries, args.keys = call.keys, args.dim = call.dim, args.value_dim = call.value_dim;
  args.scale = call.scale, args.softcap = call.softcap;
  args.dropout = call.dropout, args.dropout_seed = call.dropout_seed;
  args.mask_form = call.mask_form, args.causal = call.causal;
  args.window_left = call.window_left, args.window_right = call.window_right;
  args.backward = call.backward;
  args.deterministic = call.deterministic;
  args.input_dtype = call.input_dtype, args.output_dtype = call.output_dtype, args.layout = call.layout;
  args.problem = reinterpret_cast<const char*>(address_of(call.problem_text));
  // The tensors of attestone_args stand in the order of TensorName.
  attestone_tensor* const tensors[] = {&args.query,        &args.key,           &args.value,        &args.mask,
                                       &args.bias,         &args.sink,          &args.alibi_slopes, &args.query_starts,
                                       &args.key_starts,   &args.query_lengths, &args.key_lengths,  &args.block_table,
                                       &args.out,          &args.log_sum_exp,   &args.dout,         &args.dquery,
                                       &args.dkey,         &args.dvalue,        &args.dbias,        &args.dsink,
                                       &args.query_scales, &args.key_scales,    &args.value_scales, &args.max_logits};
  static_assert(std::size(tensors) == slot_count);
  for (std::size_t slot = 0; slot < slot_count; ++slot)
    *tensors[slot] = tensor_at(call.tensors[slot], address_of(call.tensors[slot].region));
  args.workspace = address_of(call.workspace_memory);
  args.workspace_bytes = call.workspace_memory.bytes;
  args.threads = call.threads;
  args.rows_per_page = call.rows_per_page;
  std::ranges::copy(call.scale_blocks[0], args.query_scale_block);
  std::ranges::copy(call.scale_blocks[1], args.key_scale_block);
  std::ranges::copy(call.scale_blocks[2], args.value_scale_block);
}

}  // namespace attestone::inline backends::wire
