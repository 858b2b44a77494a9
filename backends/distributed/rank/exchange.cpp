// SPDX-License-Identifier: Apache-2.0
// Which part of a tensor goes to which member of a Ulysses group.
#include "backends/distributed/rank/exchange.hpp"

#include "backends/distributed/messages/collectives.hpp"

namespace attestone::inline backends {
namespace {

/// The rows of a tensor that every member holds before its exchange, and the heads after it.
struct Parts {
  const Rank& rank;
  Side side;

  bool copied() const { return side == Side::keys && rank.heads.copies() > 1; }
  const Shards& shards() const { return side == Side::keys ? rank.keys : rank.queries; }
  Interval heads_of(index place) const {
    const HeldHeads held = rank.heads.of(place);
    return side == Side::keys ? held.kv : held.query;
  }
  Interval own_heads() const { return heads_of(rank.ulysses.place); }
  const HeldRows& rows_of(index place) const { return shards().of(rank.ring.place, place); }
  const HeldRows& own_rows() const { return rows_of(rank.ulysses.place); }
  const HeldRows& all_rows() const { return shards().of_ring(rank.ring.place); }

  /// The rows of a member, sequence by sequence, among all rows of the group; where heads are copied, one by one.
  std::vector<View> rows_in(const Buffer& all, index place) const {
    std::vector<View> views;
    for (index sequence = 0; sequence < all_rows().sequences(); ++sequence) {
      index first = all_rows().begin(sequence);
      for (index before = 0; before < place; ++before) first += rows_of(before).count(sequence);
      append_heads(views, all, {0, all.heads() - 1}, first, rows_of(place).count(sequence));
    }
    return views;
  }
  /// The views of these rows and heads among the rank's own rows of all heads that there are.
  std::vector<View> heads_in(const Buffer& own, index place) const {
    const Interval some = heads_of(place);
    std::vector<View> views;
    for (index sequence = 0; sequence < own_rows().sequences(); ++sequence) {
      const index first = own_rows().begin(sequence), rows = own_rows().count(sequence);
      if (!copied()) views.push_back(own.part(some.first, some.count(), first, rows));
      for (index copy = some.first; copied() && copy <= some.last; ++copy)
        views.push_back(own.part(rank.heads.kv_head(copy), 1, first, rows));
    }
    return views;
  }
  /// The views of the members' heads among the rank's own rows of the heads of all members, member after member.
  std::vector<View> members_heads_in(const Buffer& own, index place) const {
    Interval some{0, heads_of(0).count() - 1};
    for (index member = 1; member <= place; ++member) some = {some.last + 1, some.last + heads_of(member).count()};
    std::vector<View> views;
    for (index sequence = 0; sequence < own_rows().sequences(); ++sequence)
      append_heads(views, own, some, own_rows().begin(sequence), own_rows().count(sequence));
    return views;
  }

 private:
  void append_heads(std::vector<View>& views, const Buffer& buffer, Interval heads, index first, index rows) const {
    if (!copied()) views.push_back(buffer.part(heads.first, heads.count(), first, rows));
    for (index head = heads.first; copied() && head <= heads.last; ++head)
      views.push_back(buffer.part(head, 1, first, rows));
  }
};

/// One side of an exchange, [members].
using Views = std::vector<std::vector<View>>;

std::vector<Request> exchange(const Rank& rank, const Views& from, const Views& to) {
  std::vector<std::vector<ConstView>> out;
  for (const std::vector<View>& some : from) out.emplace_back(some.begin(), some.end());
  return all_to_all(rank.communicator, rank.ulysses, out, to);
}

void append(std::vector<Request> more, std::vector<Request>& all) {
  for (Request& request : more) all.push_back(std::move(request));
}

}  // namespace

Buffer Exchanges::to_heads(Side side, const char* name, const Buffer& own) {
  const Parts parts{rank_, side};
  Buffer all(rank_.device, name, own.dtype(), parts.all_rows().count(), parts.own_heads().count(), own.channels());
  Views heads, rows;
  for (index place = 0; place < rank_.ulysses.size(); ++place) {
    heads.push_back(parts.heads_in(own, place));
    rows.push_back(parts.rows_in(all, place));
  }
  append(exchange(rank_, heads, rows), under_way_);
  return all;
}

Buffer Exchanges::to_rows(Side side, const char* name, const Buffer& all) {
  const Parts parts{rank_, side};
  const index heads_of_all = side == Side::keys ? rank_.heads.kv_heads() : rank_.heads.query_heads();
  Buffer own(rank_.device, name, all.dtype(), parts.own_rows().count(), heads_of_all, all.channels());
  Views heads, rows;
  for (index place = 0; place < rank_.ulysses.size(); ++place) {
    heads.push_back(parts.members_heads_in(own, place));
    rows.push_back(parts.rows_in(all, place));
  }
  append(exchange(rank_, rows, heads), under_way_);
  return own;
}

}  // namespace attestone::inline backends
