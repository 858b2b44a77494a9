// SPDX-License-Identifier: Apache-2.0
// The sets, axis by axis.
#include "conformance/diagnosis/circumstances/places.hpp"

#include <array>
#include <fmt/format.h>

namespace attestone::inline conformance {
namespace {

constexpr std::array<index, 5> tiles{8, 16, 32, 64, 128};
constexpr std::array<index, 6> limits{16, 32, 64, 96, 128, 256};

using Patterns = std::vector<PlacePattern>;

void add_batches(Patterns& all) {
  all.push_back({"all sequences but the first", [](const Problem&, index b) { return b > 0; }});
  all.push_back({"the first sequence", [](const Problem&, index b) { return b == 0; }});
  all.push_back({"the last sequence", [](const Problem& p, index b) { return b + 1 == p.shape.batch; }});
  all.push_back({"all sequences but the last", [](const Problem& p, index b) { return b + 1 < p.shape.batch; }});
  all.push_back({"sequences without queries", [](const Problem& p, index b) { return p.sequence(b).queries == 0; }});
  all.push_back({"sequences shorter than their place", [](const Problem& p, index b) {
                   return p.sequence(b).keys < p.shape.keys || p.sequence(b).queries < p.shape.queries;
                 }});
}

void add_heads(Patterns& all) {
  const auto group = [](const Problem& p) { return p.shape.heads / p.shape.kv_heads; };
  all.push_back({"all heads but the first", [](const Problem&, index h) { return h > 0; }});
  all.push_back({"the first head", [](const Problem&, index h) { return h == 0; }});
  all.push_back({"all but the first kv head's", [=](const Problem& p, index h) { return h / group(p) > 0; }});
  all.push_back({"all but the first head of each group", [=](const Problem& p, index h) { return h % group(p) > 0; }});
  all.push_back({"all but the first and the last head",
                 [](const Problem& p, index h) { return h > 0 && h + 1 < p.shape.heads; }});
  all.push_back(
      {"all but the last head of each group", [=](const Problem& p, index h) { return h % group(p) + 1 < group(p); }});
}

/// Adds the patterns of rows: queries of the outputs and dQ, keys of dK and dV.
void add_rows(Patterns& all, const char* rows, index Shape::*extent) {
  all.push_back({fmt::format("all {} but the first", rows), [](const Problem&, index r) { return r > 0; }});
  all.push_back({fmt::format("the first of the {}", rows), [](const Problem&, index r) { return r == 0; }});
  all.push_back(
      {fmt::format("all {} but the last", rows), [=](const Problem& p, index r) { return r + 1 < p.shape.*extent; }});
  all.push_back(
      {fmt::format("the last of the {}", rows), [=](const Problem& p, index r) { return r + 1 == p.shape.*extent; }});
  for (const index limit : limits)
    all.push_back({fmt::format("{} from {} on", rows, limit), [=](const Problem&, index r) { return r >= limit; }});
  for (const index tile : tiles) {
    all.push_back({fmt::format("the {} behind the last whole tile of {}", rows, tile),
                   [=](const Problem& p, index r) { return r >= p.shape.*extent / tile * tile; }});
    all.push_back({fmt::format("the {} in whole tiles of {}", rows, tile),
                   [=](const Problem& p, index r) { return r < p.shape.*extent / tile * tile; }});
  }
}

/// Rows by what they see, where all sequences and heads see alike.
void add_queries_by_keys(Patterns& all) {
  const auto first_and_count = [](const Problem& p, index query) {
    index first = p.shape.keys, count = 0;
    for (index key = p.shape.keys; key-- > 0;)
      if (p.visible({0, 0, query, key})) first = key, ++count;
    return std::pair(first, count);
  };
  all.push_back(
      {"queries that see no key", [=](const Problem& p, index q) { return first_and_count(p, q).second == 0; }});
  all.push_back(
      {"queries that see a key", [=](const Problem& p, index q) { return first_and_count(p, q).second > 0; }});
  for (const index tile : tiles) {
    all.push_back({fmt::format("queries of which the first {} keys are hidden", tile), [=](const Problem& p, index q) {
                     const auto [first, count] = first_and_count(p, q);
                     return count > 0 && first >= tile;
                   }});
    all.push_back({fmt::format("queries that see more than {} keys", tile),
                   [=](const Problem& p, index q) { return first_and_count(p, q).second > tile; }});
  }
}

void add_channels(Patterns& all) {
  all.push_back({"channels from dim on", [](const Problem& p, index c) { return c >= p.shape.dim; }});
  all.push_back({"all channels but the first", [](const Problem&, index c) { return c > 0; }});
  all.push_back({"the first channel", [](const Problem&, index c) { return c == 0; }});
  for (const index limit : limits)
    all.push_back({fmt::format("channels from {} on", limit), [=](const Problem&, index c) { return c >= limit; }});
  for (const index tile : tiles)
    all.push_back({fmt::format("the channels behind the last whole {}", tile),
                   [=](const Problem& p, index c) { return c >= p.shape.value_dim / tile * tile; }});
  all.push_back(
      {"the upper half of the channels", [](const Problem& p, index c) { return c >= p.shape.value_dim / 2; }});
}

}  // namespace

std::vector<PlacePattern> place_patterns(std::string_view axis) {
  Patterns all;
  if (axis == "batch") add_batches(all);
  if (axis == "head") add_heads(all);
  if (axis == "query") {
    add_queries_by_keys(all);
    add_rows(all, "queries", &Shape::queries);
  }
  if (axis == "key") add_rows(all, "keys", &Shape::keys);
  if (axis == "channel") add_channels(all);
  return all;
}

}  // namespace attestone::inline conformance
