// SPDX-License-Identifier: Apache-2.0
// Keys spread from each place of a line towards both ends.
#include "backends/distributed/methods/open_line.hpp"

#include <array>

#include "backends/distributed/methods/line_way.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

std::vector<Setting> settings() {
  std::vector<Setting> all = RingMethod::ring_settings();
  all.push_back({"sums", "chain", one_of({"chain", "reflecting"}),
                 "sums of dK and dV: each place keeps what it adds until they pass, or keys come back with them"});
  return all;
}

std::vector<std::string> examples() {
  std::vector<std::string> all = RingMethod::ring_examples();
  all.insert(all.end(),
             {"sums=reflecting", "messages=fused:placement=striped:parts=output:gradients=output:sums=reflecting"});
  return all;
}

const Registration<RankProgramEntry> registered{{
    .name = "open_line",
    .summary = "keys and values spread along a line of devices towards both of its ends",
    .settings = settings(),
    .examples = examples(),
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<OpenLine>("open_line", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

}  // namespace

Task<RankAnswer> OpenLine::forward(Rank& rank, RankInputs held) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  const index R = rank.ring.size();
  if (R == 1) co_return local_forward(rank, held, queries);

  const RingVariant variant = this->variant(rank);
  KeyValue own(std::move(held.key), std::move(held.value));
  std::array<LineStream, 2> streams{LineStream{LineWay(rank, 1)}, LineStream{LineWay(rank, -1)}};
  const auto answer = running_answer(variant.merge, rank, queries, *variant.part);
  const auto attend = [&](const HeldRows& rows, const KeyValue& keys) {
    const auto blocks = rank.attention.blocks(queries, rows);
    if (!blocks.empty()) answer->take_in(blocks, queries, {rows, keys.key, keys.value});
  };
  for (index step = 0; step < R; ++step) {
    for (LineStream& stream : streams) {
      const KeyValue* here = step == 0 ? &own : stream.current ? &*stream.current : nullptr;
      if (step < R - 1) stream.next = stream.way.pass_on(here, step + 1, variant.messages);
    }
    if (step == 0) attend(rank.keys.of_ring(rank.ring.place), own);
    for (const LineStream& stream : streams)
      if (stream.current) attend(stream.way.rows(step), *stream.current);
    for (LineStream& stream : streams) {
      Task<> passed = stream.next.finished();
      co_await passed;
      stream.current = std::exchange(stream.next.coming, std::nullopt);
    }
    if (step == 0) own.release();
  }
  held.query.release();
  co_return answer->finish();
}

Task<RankGradients> OpenLine::backward(Rank& rank, RankSaved saved) const {
  const RingVariant variant = this->variant(rank);
  if (rank.ring.size() == 1) {
    const LocalQueries own{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
    co_return local_backward(rank, saved, own, *variant.key_gradients);
  }
  Task<RankGradients> line = reflects() ? line_backward_by_reflection(rank, std::move(saved), variant)
                                        : line_backward_by_chain(rank, std::move(saved), variant);
  co_return co_await line;
}

}  // namespace attestone::inline backends
