// SPDX-License-Identifier: Apache-2.0
// What attestone and its worker tell each other: plain bytes of one build, never stored.
#pragma once

#include <cstdint>

namespace attestone::wire {

/// The tensors of attestone_args, in its order.
enum Slot : std::uint32_t {
  query,
  key,
  value,
  mask,
  bias,
  sink,
  alibi_slopes,
  query_starts,
  key_starts,
  query_lengths,
  key_lengths,
  block_table,
  out,
  log_sum_exp,
  dout,
  dquery,
  dkey,
  dvalue,
  dbias,
  dsink,
  slot_count
};

/// Where the worker finds its ends of the channels.
constexpr int call_descriptor = 3, keeper_descriptor = 4;
// A multiple of the page of every machine of the kind.
#if defined(__x86_64__)
constexpr std::int64_t page = 4096;
#else
constexpr std::int64_t page = 65536;
#endif
constexpr std::int64_t alignment = 64;

/// A stretch of shared memory: whole pages between pages that stay unmapped, with the bytes at their end.
struct Region {
  std::int64_t first_page = 0, pages_bytes = 0;  ///< multiples of a page, from the start of its file
  std::int64_t begin = 0, bytes = 0;             ///< what the kernel sees
  std::int32_t file = 0;                         ///< 0: inputs, mapped read-only; 1: outputs and workspace
  std::int32_t present = 0;
};

/// Where a tensor lies in shared memory.
struct TensorPlace {
  Region region;
  std::int64_t shape[4] = {}, strides[4] = {};
  std::int32_t dimensions = 0;
  std::uint8_t code = 0, bits = 0;
};

enum class Request : std::uint32_t { forward, backward, workspace };

/// A call; with it travel the descriptors of both files.
struct Call {
  Request request{};
  std::int32_t place = 0;  ///< which of two addresses the tensors get
  std::int64_t file_bytes[2] = {};
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, dim = 0, value_dim = 0;
  double scale = 0, softcap = 0, dropout = 0;
  std::uint64_t dropout_seed = 0;
  std::int32_t mask_form = 0, causal = 0;
  std::int64_t window_left = -1, window_right = -1;
  std::int32_t backward = 0;
  char input_dtype[16] = {}, output_dtype[16] = {}, layout[32] = {};
  TensorPlace tensors[slot_count];
  Region workspace, problem_text;
};

enum class Answer : std::uint32_t {
  loaded,      ///< texts: name, numerics, limits
  not_loaded,  ///< texts[0]: why
  returned,    ///< status, value, texts[0]: the kernel's message
  threw,       ///< texts[0]: what
  signalled    ///< signal, and where
};

/// What a library exports, as bits.
constexpr std::int64_t has_backward = 1, has_workspace = 2;

/// What the worker answers to a request.
struct Reply {
  Answer answer{};
  std::int32_t status = 0;
  std::int64_t value = 0;           ///< bytes of workspace; after loading, has_...
  std::int32_t left_processes = 0;  ///< whether processes that the kernel started still live
  std::int32_t busy_threads = 0;    ///< whether threads of the kernel still work
  std::int32_t signal = 0, in_call = 0;
  std::int64_t address = 0;       ///< of a SIGSEGV or SIGBUS
  std::int64_t files_at[2] = {};  ///< addresses of the files in the worker, 0 before the first call
  char texts[3][2048] = {};
};

/// The keeper's messages: first which process it keeps, then how that ended.
struct Kept {
  std::int32_t process = 0;
  std::int32_t ended = 0;
  std::int32_t status = 0;  ///< as of waitpid
};

}  // namespace attestone::wire
