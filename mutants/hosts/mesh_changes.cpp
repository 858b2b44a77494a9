// SPDX-License-Identifier: Apache-2.0
// Running right methods on what is not so.
#include "mutants/hosts/mesh_changes.hpp"

#include "backends/catalogue.hpp"

namespace attestone::inline mutants {
namespace {

class ChangedFromOutside final : public ChangedMethod {
 public:
  ChangedFromOutside(std::string_view right, MethodChanges changes)
      : ChangedMethod(right), changes_(std::move(changes)) {}

  Task<RankAnswer> forward(Rank& rank, RankInputs inputs) const override {
    if (changes_.inputs) changes_.inputs(rank, inputs);
    Told told(rank, changes_);
    Rank believes = told.rank();
    Task<RankAnswer> task = right().forward(believes, std::move(inputs));
    RankAnswer answer = co_await task;
    if (changes_.answer) changes_.answer(rank, answer);
    co_return answer;
  }
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override {
    Told told(rank, changes_);
    Rank believes = told.rank();
    Task<RankGradients> task = right().backward(believes, std::move(saved));
    RankGradients gradients = co_await task;
    if (changes_.gradients) changes_.gradients(rank, gradients);
    co_return gradients;
  }

 private:
  /// The rank as the method is told of it.
  class Told {
   public:
    Told(const Rank& right, const MethodChanges& changes) : right_(right) {
      if (changes.queries) queries_ = changes.queries(right);
      if (changes.keys) keys_ = changes.keys(right);
      if (changes.local) local_ = changed(make_kernel("flash"), changes.local(right));
    }
    Rank rank() {
      const LocalAttention& attention = right_.attention;
      return {right_.communicator,
              right_.device,
              local_ ? LocalAttention(*local_, attention.whole(), attention.inputs(), workspace_) : attention,
              queries_ ? *queries_ : right_.queries,
              keys_ ? *keys_ : right_.keys,
              right_.ring,
              right_.ulysses,
              right_.inner,
              right_.outer,
              right_.heads,
              right_.shared};
    }

   private:
    const Rank& right_;
    std::optional<Shards> queries_, keys_;
    SharedKernel local_;
    Device workspace_;
  };

  MethodChanges changes_;
};

std::vector<index> lengths(const HeldRows& rows) {
  std::vector<index> all;
  for (index sequence = 0; sequence < rows.sequences(); ++sequence) all.push_back(rows.count(sequence));
  return all;
}

}  // namespace

SharedKernel mesh_mutant(const std::string& name, const OnMesh& right, MethodChanges changes) {
  return mesh_mutant(name, std::make_shared<ChangedFromOutside>(right.method, std::move(changes)), right.mesh);
}

void scale(const Buffer& buffer, double by) {
  const View all = buffer.all();
  for_each_element(all, [&](index, index head, index row, index channel) {
    all.set(0, head, row, channel, by * all.value(0, head, row, channel));
  });
}

void exchange_halves(const HeldRows& rows, const Buffer& buffer) {
  const View all = buffer.all();
  for (index sequence = 0; sequence < rows.sequences(); ++sequence) {
    const index half = rows.count(sequence) / 2;
    for (index row = rows.begin(sequence); rows.count(sequence) == 2 * half && row < rows.begin(sequence) + half; ++row)
      for (index head = 0; head < buffer.heads(); ++head)
        for (index channel = 0; channel < buffer.channels(); ++channel) {
          const double first = all.value(0, head, row, channel);
          all.set(0, head, row, channel, all.value(0, head, row + half, channel));
          all.set(0, head, row + half, channel, first);
        }
  }
}

std::optional<Shards> as_blocks(const Shards& right, index places) {
  Shards blocks(Dealing::block, lengths(right.all()), places, 1);
  for (index place = 0; place < places; ++place)
    if (lengths(blocks.of_ring(place)) != lengths(right.of_ring(place))) return std::nullopt;
  return blocks;
}

}  // namespace attestone::inline mutants
