// SPDX-License-Identifier: Apache-2.0
// The chunked kernel: settings, limits, declared arithmetic, memory; chunk after chunk on one thread.
#include "backends/cpu/chunked/chunked.hpp"

#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/sink_gradient.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<KernelEntry> registered{{
    .name = "chunked",
    .summary = "Rabe and Staats: chunks of queries against chunks of keys, one after the other; and backward, anew",
    .settings = {{"query_chunk_size", "1024", integers_from(1), "queries that stay"},
                 {"key_chunk_size", "4096", integers_from(1), "keys that pass by"}},
    .examples = {"query_chunk_size=1:key_chunk_size=16", "query_chunk_size=5:key_chunk_size=7",
                 "query_chunk_size=7:key_chunk_size=13", "query_chunk_size=64:key_chunk_size=32"},
    .make = [](const Settings& settings) -> SharedKernel { return std::make_shared<Chunked>(settings); },
}};

}  // namespace

Chunked::Chunked(const Settings& settings)
    : TiledKernel("chunked", settings),
      query_chunk_(setting("query_chunk_size")),
      key_chunk_(setting("key_chunk_size")) {}

Numerics Chunked::numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem, exp2_relative_error);
  numerics.tile_queries = query_chunk_;
  numerics.weight.tile_keys = key_chunk_;
  numerics.invariant = of_steps(problem);
  return numerics;
}

index Chunked::forward_bytes(const Problem& problem) const {
  const AttendExtents chunk(problem, query_chunk_, key_chunk_);
  return AttendScratch::bytes(chunk) + AttendState::bytes(chunk.queries, chunk.value_dim);
}

void Chunked::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const AttendExtents chunk(problem, query_chunk_, key_chunk_);
  const Attend attend(problem, arguments, chunk);
  AttendScratch scratch(device, chunk);
  AttendState state(device, chunk.queries, chunk.value_dim);
  for (const AttendedHead& head : attended_heads(problem, arguments))
    for (const Interval queries : equal_stretches(stored_rows(problem, head.batch).queries, query_chunk_)) {
      state.start(queries, head.sink.start());
      attend.load_queries(head, queries, scratch);
      attend.take_in(head, {0, head.sequence.keys - 1}, state, scratch);
      attend.store(head, state, arguments, scratch);
    }
  device.compute(scratch.work);
}

KeyPass Chunked::key_pass(const Problem& problem) const {
  return {problem, {query_chunk_, key_chunk_, key_chunk_}, DQuery::elsewhere, 1};
}

QueryPass Chunked::query_pass(const Problem& problem) const {
  return {problem, {query_chunk_, key_chunk_, key_chunk_}, 1};
}

index Chunked::backward_bytes(const Problem& problem) const {
  return std::max({key_pass(problem).bytes(), query_pass(problem).bytes(), sink_gradient_bytes(problem)});
}

void Chunked::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  key_pass(problem).run(arguments, device);
  query_pass(problem).run(arguments, device);
  store_sink_gradient(problem, arguments, device);
}

}  // namespace attestone::inline backends
