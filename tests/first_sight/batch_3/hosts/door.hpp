// SPDX-License-Identifier: Apache-2.0
// The C door: a kernel's file ends with LIBRARY(Forward, Backward) and is a whole library.
#pragma once
#include <cstdio>

#include "problem.hpp"

#ifndef NUMERICS
#define NUMERICS nullptr
#endif
#ifndef KERNEL_NAME
#define KERNEL_NAME "kernel"
#endif

inline const char* why_not(const attestone_args& a) {
  if (a.block_table.data) return "keys in pages are not taken";
  if (a.size >= sizeof(attestone_args) && (a.query_scales.data || a.key_scales.data || a.value_scales.data))
    return "formats with scales are not taken";
  for (const attestone_tensor* t : {&a.query, &a.key, &a.value, &a.bias, &a.sink, &a.out})
    if (t->ndim > 0 && t->data && View(*t).format == Format::other) return "only f32, f16 and bf16 are taken";
  return nullptr;
}

template <class Host>
int answer(const attestone_args* a) {
  if (const char* why = why_not(*a)) {
    if (a->message && a->message_bytes > 0)
      std::snprintf(a->message, static_cast<std::size_t>(a->message_bytes), "%s", why);
    return ATTESTONE_REFUSED;
  }
  Host::run(Problem(*a));
  return ATTESTONE_OK;
}

#define LIBRARY(...) LIBRARY_OF(__VA_ARGS__)
#define LIBRARY_OF(Forward, Backward)                                                      \
  extern "C" int attestone_describe(attestone_description* d) {                            \
    d->name = KERNEL_NAME;                                                                 \
    d->numerics = NUMERICS;                                                                \
    d->limits = "dtypes=f32+f16+bf16";                                                     \
    return ATTESTONE_OK;                                                                   \
  }                                                                                        \
  extern "C" int attestone_forward(const attestone_args* a) { return answer<Forward>(a); } \
  extern "C" int attestone_backward(const attestone_args* a) { return answer<Backward>(a); }
