// SPDX-License-Identifier: Apache-2.0
// The exchange around the ring, as the published method has it but for what a mutant changes.
#include "mutants/hosts/mesh_steps.hpp"
#include "reference/registry.hpp"
#include "reference/require.hpp"

namespace attestone::inline mutants {
namespace {

std::vector<std::vector<ConstView>> read_only(const std::vector<Views>& views) {
  std::vector<std::vector<ConstView>> all;
  for (const Views& some : views) all.emplace_back(some.begin(), some.end());
  return all;
}

}  // namespace

struct MeshSteps::Parsed {
  const RankProgramEntry* entry;
  Settings settings;

  std::vector<std::string_view> axes() const { return entry->make(settings)->axes(); }
  static Parsed from(std::string_view method) {
    Scanner in(method);
    const std::string name = in.word("a distributed method");
    const RankProgramEntry* entry = Registry<RankProgramEntry>::find(name);
    require(entry, "mutants are made from published methods");
    return {entry, read_settings(in, name, entry->settings)};
  }
};

MeshSteps::MeshSteps(const Parsed& parsed) : ContextParallel(parsed.entry->name, parsed.axes(), parsed.settings) {}

MeshSteps::MeshSteps(std::string_view method) : MeshSteps(Parsed::from(method)) {}

/// The offset of the rows of a member among those of its group, of one sequence.
index MeshSteps::row_offset(const Exchange& exchange, index sequence, index place) const {
  index first = 0;
  for (index before = 0; before < place; ++before) first += exchange.rows_of(before).count(sequence);
  return first;
}

Views MeshSteps::all_views(const Exchange& exchange, const Buffer& all, index place) const {
  Views views;
  for (index sequence = 0; sequence < exchange.all_rows().sequences(); ++sequence) {
    const index first = exchange.all_rows().begin(sequence) + row_offset(exchange, sequence, place);
    const index rows = exchange.rows_of(place).count(sequence);
    if (!exchange.copied()) views.push_back(all.part(0, all.heads(), first, rows));
    for (index head = 0; exchange.copied() && head < all.heads(); ++head)
      views.push_back(all.part(head, 1, first, rows));
  }
  return views;
}

Views MeshSteps::own_views(const Exchange& exchange, const Buffer& own, index place) const {
  const Rank& rank = exchange.rank;
  const Interval some = exchange.heads_of(place);
  const bool of_copies = own.heads() == rank.heads.kv_copies();
  Views views;
  for (index sequence = 0; sequence < exchange.all_rows().sequences(); ++sequence) {
    const HeldRows& mine = exchange.rows_of(rank.ulysses.place);
    const index first = mine.begin(sequence), rows = mine.count(sequence);
    if (!exchange.copied()) views.push_back(own.part(some.first, some.count(), first, rows));
    for (index copy = some.first; exchange.copied() && copy <= some.last; ++copy)
      views.push_back(own.part(of_copies ? copy : kv_head(rank, copy), 1, first, rows));
  }
  return views;
}

class MeshSteps::Exchanges {
 public:
  Exchanges(const MeshSteps& steps, Rank& rank) : steps_(steps), rank_(rank) {}

  Buffer to_heads(bool of_keys, const char* name, const Buffer& own) {
    const Exchange exchange = named(of_keys, name);
    const index heads = exchange.heads_of(rank_.ulysses.place).count();
    Buffer all(rank_.device, name, own.dtype(), exchange.all_rows().count(), heads, own.channels());
    const Sides sides = both(exchange, own, all);
    start(read_only(sides.own), sides.all);
    return all;
  }
  Buffer to_rows(bool of_keys, const char* name, const Buffer& all) {
    const Exchange exchange = named(of_keys, name);
    const index heads = of_keys ? rank_.heads.kv_copies() : rank_.attention.whole().shape.heads;
    const index rows = exchange.rows_of(rank_.ulysses.place).count();
    Buffer own(rank_.device, name, all.dtype(), rows, heads, all.channels());
    const Sides sides = both(exchange, own, all);
    start(read_only(sides.all), sides.own);
    return own;
  }
  Task<> finished() { return all_of(std::exchange(under_way_, {})); }

 private:
  struct Sides {
    std::vector<Views> own, all;
  };

  Exchange named(bool of_keys, std::string_view name) const {
    return {of_keys ? rank_.keys : rank_.queries, rank_, of_keys, name};
  }
  Sides both(const Exchange& exchange, const Buffer& own, const Buffer& all) const {
    Sides sides;
    for (index place = 0; place < rank_.ulysses.size(); ++place) {
      sides.own.push_back(steps_.own_views(exchange, own, place));
      sides.all.push_back(steps_.all_views(exchange, all, place));
    }
    return sides;
  }
  void start(const std::vector<std::vector<ConstView>>& out, const std::vector<Views>& in) {
    for (Request& request : all_to_all(rank_.communicator, rank_.ulysses, out, in))
      under_way_.push_back(std::move(request));
  }

  const MeshSteps& steps_;
  Rank& rank_;
  std::vector<Request> under_way_;
};

Buffer MeshSteps::sum_of_copies(Rank& rank, const char* name, Buffer copies) const {
  const index each = rank.heads.copies();
  if (each == 1) return copies;
  const Problem& whole = rank.attention.whole();
  Buffer sums(rank.device, name, whole.output, copies.rows(), whole.shape.kv_heads, copies.channels());
  for_each_element(sums.all(), [&](index, index head, index row, index channel) {
    double sum = 0;
    for (index copy = 0; copy < each; ++copy) sum += copies.all().value(0, head * each + copy, row, channel);
    sums.all().set(0, head, row, channel, sum * share_of_copies(rank));
  });
  return sums;
}

Task<RankAnswer> MeshSteps::forward(Rank& rank, RankInputs held) const {
  if (rank.ulysses.size() == 1) {
    Task<RankAnswer> ring = ring_forward(rank, std::move(held));
    co_return co_await ring;
  }
  Exchanges exchanges(*this, rank);
  Buffer query = exchanges.to_heads(false, "exchanged query", held.query);
  std::optional<Buffer> key, value;
  if (value_first(rank)) value = exchanges.to_heads(true, "exchanged value", held.value);
  key = exchanges.to_heads(true, "exchanged key", held.key);
  if (!value) value = exchanges.to_heads(true, "exchanged value", held.value);
  RankInputs all{std::move(query), std::move(*key), std::move(*value)};
  Task<> came = exchanges.finished();
  co_await came;
  for (Buffer* done : {&held.query, &held.key, &held.value}) done->release();

  Task<RankAnswer> ring = ring_forward(rank, std::move(all));
  RankAnswer answer = co_await ring;
  Buffer out = exchanges.to_rows(false, "out", answer.out);
  Task<> returned = exchanges.finished();
  co_await returned;
  answer.out = std::move(out);
  co_return answer;
}

Task<RankGradients> MeshSteps::backward(Rank& rank, RankSaved saved) const {
  if (rank.ulysses.size() == 1) {
    Task<RankGradients> ring = ring_backward(rank, std::move(saved));
    co_return co_await ring;
  }
  Exchanges exchanges(*this, rank);
  Buffer dout = exchanges.to_heads(false, "exchanged dout", saved.dout);
  Task<> came = exchanges.finished();
  co_await came;
  saved.dout = std::move(dout);

  Task<RankGradients> ring = ring_backward(rank, std::move(saved));
  RankGradients all = co_await ring;
  RankGradients own{exchanges.to_rows(false, "dquery", all.dquery), exchanges.to_rows(true, "dkey", all.dkey),
                    exchanges.to_rows(true, "dvalue", all.dvalue)};
  Task<> returned = exchanges.finished();
  co_await returned;
  for (Buffer* done : {&all.dquery, &all.dkey, &all.dvalue}) done->release();
  own.dkey = sum_of_copies(rank, "dkey", std::move(own.dkey));
  own.dvalue = sum_of_copies(rank, "dvalue", std::move(own.dvalue));
  co_return own;
}

}  // namespace attestone::inline mutants
