// SPDX-License-Identifier: Apache-2.0
// Filling attestone_args.
#include "backends/doors/worker/arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>

namespace attestone::worker {
namespace {

constexpr int on_the_cpu = 1;  // DLPack's kDLCPU

attestone_tensor tensor_of(wire::TensorPlace& place, const Mapping& mapping) {
  attestone_tensor tensor{};
  tensor.data = mapping.address_of(place.region);
  tensor.device.type = on_the_cpu;
  tensor.ndim = place.dimensions;
  tensor.dtype.code = place.code;
  tensor.dtype.bits = place.bits;
  tensor.dtype.lanes = 1;
  tensor.shape = place.shape;
  tensor.strides = place.strides;
  return tensor;
}

/// The holes between fields included.
template <class T>
bool same_bytes(const T& a, const T& b) {
  const auto of_a = std::as_bytes(std::span(&a, 1)), of_b = std::as_bytes(std::span(&b, 1));
  return std::equal(of_a.begin(), of_a.end(), of_b.begin());
}

}  // namespace

KernelArguments::KernelArguments(const wire::Call& call, const Mapping& mapping) : original_(call) {
  std::memcpy(&call_, &original_, sizeof call_);  // the holes between its fields included
  args_.size = sizeof(attestone_args);
  args_.abi_version = ATTESTONE_ABI_VERSION;
  args_.batch = call_.batch, args_.heads = call_.heads, args_.kv_heads = call_.kv_heads;
  args_.queries = call_.queries, args_.keys = call_.keys, args_.dim = call_.dim, args_.value_dim = call_.value_dim;
  args_.scale = call_.scale, args_.softcap = call_.softcap;
  args_.dropout = call_.dropout, args_.dropout_seed = call_.dropout_seed;
  args_.mask_form = call_.mask_form, args_.causal = call_.causal;
  args_.window_left = call_.window_left, args_.window_right = call_.window_right;
  args_.backward = call_.backward;
  args_.deterministic = call_.deterministic;
  args_.input_dtype = call_.input_dtype, args_.output_dtype = call_.output_dtype, args_.layout = call_.layout;
  args_.problem = reinterpret_cast<const char*>(mapping.address_of(call_.problem_text));
  // The tensors of attestone_args stand in the order of TensorName.
  attestone_tensor* const tensors[] = {
      &args_.query,        &args_.key,          &args_.value,        &args_.mask,        &args_.bias,
      &args_.sink,         &args_.alibi_slopes, &args_.query_starts, &args_.key_starts,  &args_.query_lengths,
      &args_.key_lengths,  &args_.block_table,  &args_.out,          &args_.log_sum_exp, &args_.dout,
      &args_.dquery,       &args_.dkey,         &args_.dvalue,       &args_.dbias,       &args_.dsink,
      &args_.query_scales, &args_.key_scales,   &args_.value_scales};
  static_assert(std::size(tensors) == wire::slot_count);
  for (std::size_t slot = 0; slot < wire::slot_count; ++slot) *tensors[slot] = tensor_of(call_.tensors[slot], mapping);
  args_.workspace = mapping.address_of(call_.workspace_memory);
  args_.workspace_bytes = call_.workspace_memory.bytes;
  args_.threads = call_.threads;
  args_.rows_per_page = call_.rows_per_page;
  std::ranges::copy(call_.scale_blocks[0], args_.query_scale_block);
  std::ranges::copy(call_.scale_blocks[1], args_.key_scale_block);
  std::ranges::copy(call_.scale_blocks[2], args_.value_scale_block);
  args_.message = message_;
  args_.message_bytes = sizeof message_;
  std::memcpy(&handed_, &args_, sizeof args_);
}

bool KernelArguments::intact() const { return same_bytes(call_, original_) && same_bytes(handed_, args_); }

const char* KernelArguments::message() {
  message_[sizeof message_ - 1] = 0;
  return message_;
}

}  // namespace attestone::worker
