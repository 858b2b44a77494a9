// SPDX-License-Identifier: Apache-2.0
// The C door of a kernel: a file that ends with EXPORT_KERNEL(Forward, Backward) is a whole library.
#pragma once
#include <cstdio>

#include "common.hpp"

inline bool refused(const attestone_args* a, const char* why) {
  if (a->message != nullptr && a->message_bytes > 0) std::snprintf(a->message, size_t(a->message_bytes), "%s", why);
  return true;
}
inline bool refuses(const attestone_args* a) {
  if (a->block_table.data != nullptr) return refused(a, "keys in pages are not taken");
  if (a->size >= sizeof(attestone_args) && a->query_scales.data != nullptr) return refused(a, "scales are not taken");
  for (const attestone_tensor* t : {&a->query, &a->key, &a->value, &a->bias, &a->sink, &a->out, &a->dout})
    if (!is_taken(*t)) return refused(a, "only f32, f16 and bf16 are taken");
  return false;
}

#define EXPORT_KERNEL(ForwardKernel, BackwardKernel)                                                    \
  extern "C" int attestone_describe(attestone_description* d) {                                         \
    d->name = #ForwardKernel "+" #BackwardKernel;                                                       \
    d->numerics = nullptr;                                                                              \
    d->limits = "dtypes=f32+bf16+f16 layouts=bhsd+bshd+broadcast+packed_qkv+ragged+strided+transposed"; \
    return ATTESTONE_OK;                                                                                \
  }                                                                                                     \
  extern "C" int attestone_forward(const attestone_args* a) {                                           \
    if (refuses(a)) return ATTESTONE_REFUSED;                                                           \
    ForwardKernel().run(Call(*a));                                                                      \
    return ATTESTONE_OK;                                                                                \
  }                                                                                                     \
  extern "C" int attestone_backward(const attestone_args* a) {                                          \
    if (refuses(a)) return ATTESTONE_REFUSED;                                                           \
    BackwardKernel().run(Call(*a));                                                                     \
    return ATTESTONE_OK;                                                                                \
  }                                                                                                     \
  extern "C" int64_t attestone_workspace(const attestone_args* a) {                                     \
    return a->backward != 0 ? BackwardKernel().workspace_bytes(Call(*a)) : 0;                           \
  }
