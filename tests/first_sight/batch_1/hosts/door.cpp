// SPDX-License-Identifier: Apache-2.0
// The C door, the same for every library of this folder.
#include <cstdio>

#include "call.hpp"

namespace {
const char* refusal(const attestone_args& a) {
  if (a.dropout != 0) return "no dropout";
  if (a.block_table.data || a.rows_per_page) return "no pages";
  if (a.size >= sizeof(attestone_args) && (a.query_scales.data || a.key_scales.data || a.value_scales.data))
    return "no scales";
  for (const attestone_tensor* t : {&a.query, &a.key, &a.value, &a.out})
    if (format_of(*t) == Format::unknown) return "f32, f16 and bf16";
  return nullptr;
}

int answer(const attestone_args* args, bool backward) {
  const char* why = refusal(*args);
  if (why) {
    if (args->message) std::snprintf(args->message, static_cast<size_t>(args->message_bytes), "%s", why);
    return ATTESTONE_REFUSED;
  }
  const Call call(*args);
  if (backward)
    make_backward()->run(call);
  else
    make_forward()->run(call);
  return ATTESTONE_OK;
}
}  // namespace

int attestone_describe(attestone_description* description) {
  description->name = kernel_name();
  description->numerics = nullptr;
  description->limits = "dtypes=f32+f16+bf16 dropout=no";
  return ATTESTONE_OK;
}
int attestone_forward(const attestone_args* args) { return answer(args, false); }
int attestone_backward(const attestone_args* args) { return answer(args, true); }
