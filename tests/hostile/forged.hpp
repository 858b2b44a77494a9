// SPDX-License-Identifier: Apache-2.0
// A reply as the worker sends it, made by a kernel that has read attestone's sources and searches its own process for
// whatever a reply must repeat.
#pragma once

#include <cstddef>
#include <cstring>
#include <sys/socket.h>

#include "backends/plugins/protocol/wire.hpp"
#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

namespace hostile {

/// The worker's copy of the call that runs, in its memory; null if it is not found.
template <class Call>
const Call* find_call(const attestone_args* args) {
  const int64_t extents[] = {args->batch, args->heads, args->kv_heads, args->queries,
                             args->keys,  args->dim,   args->value_dim};
  for (const Piece& piece : memory_of(getpid())) {
    if (!piece.rights.starts_with("rw") || piece.end - piece.begin < sizeof(Call)) continue;
    for (uintptr_t at = piece.begin; at + sizeof(Call) <= piece.end; at += alignof(Call))
      if (at != reinterpret_cast<uintptr_t>(&extents) - offsetof(Call, batch) &&
          at != reinterpret_cast<uintptr_t>(args) - (offsetof(Call, batch) - offsetof(attestone_args, batch)) &&
          std::memcmp(reinterpret_cast<const char*>(at) + offsetof(Call, batch), extents, sizeof extents) == 0)
        return reinterpret_cast<const Call*>(at);
  }
  return nullptr;
}

template <class Call, class Reply>
void sign(Reply& reply, const attestone_args* args) {
  if constexpr (requires { reply.nonce; })
    if (const Call* const call = find_call<Call>(args)) reply.nonce = call->nonce;
}

/// "The call has returned, and all is well."
inline void send_forged_reply(const attestone_args* args) {
  attestone::wire::Reply reply;
  reply.answer = attestone::wire::Answer::returned;
  sign<attestone::wire::Call>(reply, args);
  send(attestone::wire::call_descriptor, &reply, sizeof reply, MSG_NOSIGNAL);
}

}  // namespace hostile
