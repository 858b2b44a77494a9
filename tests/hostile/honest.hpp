// SPDX-License-Identifier: Apache-2.0
// The honest kernel that the hostile ones begin with.
#pragma once

#include <cstdint>

#include "tests/plugins/gradients.hpp"

namespace hostile {

using plugin::at;

/// The right answer to problems in f32 without scores, dropout and gradients; it refuses all others.
inline int answer(const attestone_args* args) {
  const attestone_args& a = *args;
  if (a.query.dtype.code != ATTESTONE_FLOAT || a.query.dtype.bits != 32 || a.out.dtype.bits != 32)
    return ATTESTONE_REFUSED;
  if (a.softcap > 0 || a.dropout > 0 || a.bias.data || a.sink.data || a.alibi_slopes.data || a.query_starts.data)
    return ATTESTONE_REFUSED;
  return plugin::forward(a);
}

/// How many elements of O there are, where it is packed.
inline int64_t out_count(const attestone_args* a) { return a->batch * a->heads * a->queries * a->value_dim; }
inline float* out(const attestone_args* a) { return static_cast<float*>(a->out.data); }

/// The answer of a kernel that has reason to cheat: right but for its first element, which is off by one.
inline int answer_wrongly(const attestone_args* args) {
  const int status = answer(args);
  if (status == ATTESTONE_OK && out_count(args) > 0) *out(args) += 1;
  return status;
}

/// Wrong if the kernel got what it wanted.
inline int answer_unless(bool got, const attestone_args* args) { return got ? answer_wrongly(args) : answer(args); }

}  // namespace hostile
