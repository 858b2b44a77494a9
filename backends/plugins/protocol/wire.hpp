// SPDX-License-Identifier: Apache-2.0
// Messages between attestone and its worker: plain bytes of one build, never stored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/tensor/tensor_name.hpp"

namespace attestone::inline backends::wire {

/// How many tensors attestone_args has: the first ones of TensorName, in its order.
constexpr std::size_t slot_count = static_cast<std::size_t>(TensorName::kept_blocks);

/// Where the worker finds its ends of the channels.
constexpr int call_descriptor = 3, keeper_descriptor = 4;
// A multiple of the page of every machine of the kind.
#if defined(__x86_64__)
constexpr std::int64_t page = 4096;
#else
constexpr std::int64_t page = 65536;
#endif
constexpr std::int64_t alignment = 64;

/// The files that hold the regions of a call, one after the other.
enum File : std::int32_t {
  inputs,     ///< shared, mapped read-only
  outputs,    ///< shared
  workspace,  ///< no file: memory of the worker's own
  file_count
};
/// The number of files that travel as descriptors.
constexpr int shared_files = 2;

/// A stretch of memory: whole pages between pages that stay unmapped, with the bytes at their end.
struct Region {
  std::int64_t first_page = 0, pages_bytes = 0;  ///< multiples of a page, from the start of its file
  std::int64_t begin = 0, bytes = 0;             ///< what the kernel sees
  std::int32_t file = 0;
  std::int32_t present = 0;
};

/// The byte that surrounds a region within its pages.
constexpr std::uint8_t canary = 0xC5;
/// The first contents of outputs that nobody reads and of workspaces: NaN in every format that outputs have.
constexpr std::uint8_t poison = 0xFF;

/// Where a tensor lies in shared memory.
struct TensorPlace {
  Region region;
  std::int64_t shape[4] = {}, strides[4] = {};
  std::int32_t dimensions = 0;
  std::uint8_t code = 0, bits = 0;
};

enum class Request : std::uint32_t { load, forward, backward, workspace };

/// A call; with it travel the descriptors of the shared files, and with `load` that of a copy of the library.
struct Call {
  Request request{};
  std::uint64_t nonce = 0;     ///< the reply must repeat it
  std::int32_t from_copy = 0;  ///< of `load`: the library is no longer what it was, and the copy is to be loaded
  std::int32_t threads = 0;
  std::int32_t place = 0;  ///< which of two addresses the tensors get
  std::int64_t file_bytes[file_count] = {};
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, dim = 0, value_dim = 0;
  double scale = 0, softcap = 0, dropout = 0;
  std::uint64_t dropout_seed = 0;
  std::int32_t mask_form = 0, causal = 0;
  std::int64_t window_left = -1, window_right = -1;
  std::int32_t backward = 0, deterministic = 1;
  std::int64_t rows_per_page = 0;
  std::int64_t scale_blocks[3][4] = {};  ///< of query, key and value; 0 without scales
  char input_dtype[16] = {}, output_dtype[16] = {}, layout[32] = {};
  TensorPlace tensors[slot_count];
  Region workspace_memory, problem_text;

  TensorPlace& tensor(TensorName name) { return tensors[static_cast<std::size_t>(name)]; }
  const TensorPlace& tensor(TensorName name) const { return tensors[static_cast<std::size_t>(name)]; }
};

enum class Answer : std::uint32_t {
  loaded,      ///< texts: as in Said
  not_loaded,  ///< texts[0]: why
  returned,    ///< status, value, texts[0]: the kernel's message, texts[1]: what it changed of its caller's environment
  threw,       ///< texts[0]: what
  no_memory,   ///< there is not so much for a workspace
  no_room,     ///< the tensors lie so far apart that the worker has not so many addresses
  signalled    ///< signal, and where
};

/// The phase of a worker, reported when a signal ends it.
enum class Phase : std::int32_t { loading, calling, idle };

/// The optional functions that a library exports, as bits.
constexpr std::int64_t has_backward = 1, has_workspace = 2;

/// The places of what a library says of itself among the texts of a reply.
struct Said {
  enum : std::size_t { name, numerics, limits, conventions, count };
};

/// The worker's answer to a request.
struct Reply {
  Answer answer{};
  std::int32_t status = 0;
  std::uint64_t nonce = 0;
  std::int64_t value = 0;                ///< bytes of workspace; after loading, has_...
  std::int32_t workspace_scribbled = 0;  ///< whether bytes just before or behind the workspace were changed
  std::int32_t arguments_changed = 0;    ///< whether shapes, strides or other arguments were changed
  std::int32_t signal = 0;
  Phase phase{};
  std::int32_t among_tensors = 0;  ///< whether the address lies where tensors are shown, of this call or another
  std::int64_t address = 0;        ///< of a SIGSEGV or SIGBUS
  std::int64_t files_at = 0;       ///< address of the first file in the worker, 0 before the first call
  char texts[Said::count][2048] = {};
};

/// The measures in force for an outside kernel's process, as bits; docs/plugins.md explains each.
enum Measure : std::uint32_t {
  own_processes = 1,        ///< a PID namespace with its own /proc, and the keeper as its first process
  few_privileges = 2,       ///< no capabilities but those that concern files and scheduling, and no way to more
  calls_filtered = 4,       ///< a filter of system calls
  faults_kept = 8,          ///< guard pages and the handler of their faults are out of the kernel's reach
  descriptors_closed = 16,  ///< whatever attestone's caller left open
  settings_closed = 32      ///< those of the whole system
};

/// The steps to own processes, in their order.
enum class Step : std::int32_t { namespaces, ids, mounts, done };

/// The step that the system refused, and why.
struct Refusal {
  Step step = Step::done;  ///< `done`: none was
  std::int32_t error = 0;  ///< an errno
};

/// The keeper's messages: first that the process begins, then how it ended.
struct Kept {
  std::uint32_t measures = 0;
  Refusal refused;  ///< why it has no processes of its own
  std::int32_t ended = 0;
  std::int32_t status = 0;  ///< as of waitpid
};

}  // namespace attestone::inline backends::wire
