// SPDX-License-Identifier: Apache-2.0
// Painting masks.
#include "tests/masks/pictures.hpp"

#include <Random123/philox.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace attestone {
namespace {

Picture blank(const Sequence& size, char paint) {
  return Picture(static_cast<std::size_t>(size.queries), std::string(static_cast<std::size_t>(size.keys), paint));
}

/// A brush that is set down somewhere on one row, perhaps outside the paper, and paints towards one side.
void stroke(std::string& row, index from, int direction, index cells) {
  for (index at = from; cells > 0; at += direction, --cells)
    if (at >= 0 && at < static_cast<index>(row.size())) row[static_cast<std::size_t>(at)] = '#';
}

/// Where each query stands, from the bottom up: the last one at the last key, each other one to the left of its
/// successor. A query may stand outside the paper.
std::vector<index> standing(const Sequence& size) {
  std::vector<index> at(static_cast<std::size_t>(size.queries));
  index where = size.keys - 1;
  for (auto query = at.rbegin(); query != at.rend(); ++query) *query = where--;
  return at;
}

/// Every row may reach as far as the paper and any standing place do.
index whole_row(const Sequence& size) { return size.queries + size.keys + 1; }

Picture causal(const Sequence& size) {
  Picture rows = blank(size, '.');
  const auto at = standing(size);
  for (std::size_t query = 0; query < rows.size(); ++query) stroke(rows[query], at[query], -1, whole_row(size));
  return rows;
}

Picture causal_top_left(const Sequence& size) {
  Picture rows = blank(size, '.');
  std::string seen;
  for (std::string& row : rows) {
    seen += '#';
    row.replace(0, std::min(seen.size(), row.size()), seen, 0, row.size());
  }
  return rows;
}

Picture window(const Sequence& size, index left, index right) {
  Picture rows = blank(size, '.');
  const auto at = standing(size);
  for (std::size_t query = 0; query < rows.size(); ++query) {
    stroke(rows[query], at[query], -1, left == -1 ? whole_row(size) : left + 1);
    stroke(rows[query], at[query], +1, right == -1 ? whole_row(size) : right + 1);
  }
  return rows;
}

Picture prefix(const Sequence& size, index keys) {
  Picture rows = causal(size);
  for (std::string& row : rows) stroke(row, 0, +1, keys);
  return rows;
}

/// A brush that hops along the row, `stride` cells at a time, and dots each place where it lands.
void dots(std::string& row, index from, index stride) {
  const index reach = std::abs(from) + static_cast<index>(row.size());
  for (index at = from; std::abs(at - from) <= reach; at += stride) stroke(row, at, +1, 1);
}

Picture needle(const Sequence& size, index stride) {
  Picture rows = blank(size, '.');
  const auto at = standing(size);
  for (std::size_t query = 0; query < rows.size(); ++query) {
    dots(rows[query], 0, stride);
    stroke(rows[query], at[query], +1, 1);
  }
  return rows;
}

Picture dilated(const Sequence& size, index stride) {
  Picture rows = blank(size, '.');
  const auto at = standing(size);
  for (std::size_t query = 0; query < rows.size(); ++query)
    for (const index hop : {stride, -stride}) dots(rows[query], at[query], hop);
  return rows;
}

/// Word `which` of Philox4x32-10, in [0, 1).
double philox(std::uint64_t seed, const r123::Philox4x32::ctr_type& counter, index which) {
  const r123::Philox4x32::key_type key{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  return std::ldexp(r123::Philox4x32()(counter, key)[static_cast<std::size_t>(which)], -32);
}

std::uint32_t u32(index number) { return static_cast<std::uint32_t>(number); }

/// Cuts the line of keys where the borders fall, and paints each query's piece.
Picture document(const Paper& paper, index documents) {
  std::vector<index> cuts{0, paper.size.keys};
  for (index n = 1; n < documents; ++n)
    cuts.push_back(static_cast<index>(
        philox(paper.seed, {{0xC0000000u + u32(n / 4), 0, 0, 0x80000000u + u32(paper.batch)}}, n % 4) *
        static_cast<double>(paper.size.keys + 1)));
  std::sort(cuts.begin(), cuts.end());
  Picture rows = blank(paper.size, '.');
  const auto at = standing(paper.size);
  for (std::size_t query = 0; query < rows.size(); ++query)
    for (std::size_t piece = 1; piece < cuts.size(); ++piece)
      if (cuts[piece - 1] <= at[query] && at[query] < cuts[piece])
        stroke(rows[query], cuts[piece - 1], +1, cuts[piece] - cuts[piece - 1]);
  return rows;
}

/// Runs of so many keys, from the first key on: the query's own one, and with `earlier` all before it.
Picture runs(const Sequence& size, index keys, bool earlier) {
  Picture rows = blank(size, '.');
  const auto at = standing(size);
  for (std::size_t query = 0; query < rows.size(); ++query)
    for (index begin = 0; begin <= at[query]; begin += keys)
      if (earlier || at[query] - begin < keys) stroke(rows[query], begin, +1, keys);
  return rows;
}

/// Where the numbers fall that a mask draws for a whole sequence, from the left.
std::vector<index> cuts(const Paper& paper, std::uint32_t mask, index count) {
  std::vector<index> all;
  for (index n = 0; n < count; ++n)
    all.push_back(static_cast<index>(
        philox(paper.seed, {{0xC0000000u + u32(n / 4), mask, 0, 0x80000000u + u32(paper.batch)}}, n % 4) *
        static_cast<double>(paper.size.keys + 1)));
  std::sort(all.begin(), all.end());
  return all;
}

/// Every second piece of the line of keys is a block, the first piece is none.
Picture blocks(const Paper& paper, index count) {
  const std::vector<index> ends = cuts(paper, 1, 2 * count);
  Picture rows = blank(paper.size, '.');
  const auto at = standing(paper.size);
  for (std::size_t query = 0; query < rows.size(); ++query)
    for (std::size_t end = 1; end < ends.size(); end += 2)
      if (ends[end - 1] <= at[query] && at[query] < ends[end])
        stroke(rows[query], ends[end - 1], +1, ends[end] - ends[end - 1]);
  return rows;
}

/// Each token copies what the one that it continues sees, and adds itself.
Picture tree(const Paper& paper, std::uint64_t seed) {
  Picture rows = blank(paper.size, '.');
  const auto at = standing(paper.size);
  for (std::size_t token = 0; token < rows.size(); ++token) {
    if (token == 0)
      stroke(rows[0], at[0] - 1, -1, whole_row(paper.size));
    else
      rows[token] = rows[static_cast<std::size_t>(
          philox(seed, {{0xC0000000u + u32(static_cast<index>(token) / 4), 2, 0, 0x80000000u + u32(paper.batch)}},
                 static_cast<index>(token) % 4) *
          static_cast<double>(token))];
    stroke(rows[token], at[token], +1, 1);
  }
  return rows;
}

/// One dot for each entry of a query's list; the last place of the line is beyond the paper.
Picture indices(const Paper& paper, index entries) {
  Picture rows = blank(paper.size, '.');
  for (index i = 0; i < paper.size.queries; ++i)
    for (index n = 0; n < entries; ++n) {
      const double drawn =
          philox(paper.seed, {{0xE0000000u + u32(n / 4), u32(i), 0, 0x80000000u + u32(paper.batch)}}, n % 4);
      stroke(rows[static_cast<std::size_t>(i)], static_cast<index>(drawn * static_cast<double>(paper.size.keys + 1)),
             +1, 1);
    }
  return rows;
}

Picture dense(const Paper& paper, index percent) {
  Picture rows = blank(paper.size, '.');
  for (index i = 0; i < paper.size.queries; ++i)
    for (index j = 0; j < paper.size.keys; ++j) {
      const double drawn =
          philox(paper.seed, {{0xC0000000u + u32(j / 4), u32(i), u32(paper.head), u32(paper.batch)}}, j % 4);
      if (100 * drawn < static_cast<double>(percent)) stroke(rows[static_cast<std::size_t>(i)], j, +1, 1);
    }
  return rows;
}

/// Square after square, as far as the paper reaches.
Picture block(const Paper& paper, index edge) {
  Picture rows = blank(paper.size, '.');
  for (index top = 0; top * edge < paper.size.queries; ++top)
    for (index left = 0; left * edge < paper.size.keys; ++left) {
      const double drawn =
          philox(paper.seed, {{0xE0000000u + u32(left / 4), u32(top), u32(paper.head), u32(paper.batch)}}, left % 4);
      if (drawn >= 0.5) continue;
      for (index i = top * edge; i < std::min((top + 1) * edge, paper.size.queries); ++i)
        stroke(rows[static_cast<std::size_t>(i)], left * edge, +1, edge);
    }
  return rows;
}

Picture rule(const Mask& mask, const Paper& paper) {
  const Sequence& size = paper.size;
  const auto& arguments = mask.arguments();
  if (mask.rule() == "full") return blank(size, '#');
  if (mask.rule() == "causal") return causal(size);
  if (mask.rule() == "causal:top_left") return causal_top_left(size);
  if (mask.rule() == "window") return window(size, arguments[0], arguments[1]);
  if (mask.rule() == "prefix") return prefix(size, arguments[0]);
  if (mask.rule() == "needle") return needle(size, arguments[0]);
  if (mask.rule() == "dilated") return dilated(size, arguments[0]);
  if (mask.rule() == "document") return document(paper, arguments[0]);
  if (mask.rule() == "dense") return dense(paper, arguments[0]);
  if (mask.rule() == "block") return block(paper, arguments[0]);
  if (mask.rule() == "chunk") return runs(size, arguments[0], false);
  if (mask.rule() == "block_causal") return runs(size, arguments[0], true);
  if (mask.rule() == "blocks") return blocks(paper, arguments[0]);
  if (mask.rule() == "tree") return tree(paper, static_cast<std::uint64_t>(arguments[0]));
  if (mask.rule() == "indices") return indices(paper, arguments[0]);
  throw std::logic_error("mask '" + mask.rule() + "' needs a second definition in tests/masks/pictures.cpp");
}

template <class Cell>
Picture cell_by_cell(Picture left, const Picture& right, Cell cell) {
  for (std::size_t query = 0; query < left.size(); ++query)
    for (std::size_t key = 0; key < left[query].size(); ++key)
      left[query][key] = cell(left[query][key] == '#', right[query][key] == '#') ? '#' : '.';
  return left;
}

}  // namespace

Picture picture(const Mask& mask, const Paper& paper) {
  if (mask.kind() == Mask::Kind::rule) return rule(mask, paper);
  Picture all = picture(mask.parts().front(), paper);
  if (mask.kind() == Mask::Kind::not_) return cell_by_cell(all, all, [](bool cell, bool) { return !cell; });
  for (std::size_t part = 1; part < mask.parts().size(); ++part) {
    const Picture other = picture(mask.parts()[part], paper);
    all = mask.kind() == Mask::Kind::and_ ? cell_by_cell(all, other, [](bool a, bool b) { return a && b; })
                                          : cell_by_cell(all, other, [](bool a, bool b) { return a || b; });
  }
  return all;
}

Picture padded(const Picture& inner, const Sequence& frame) {
  Picture rows = blank(frame, '.');
  for (std::size_t query = 0; query < inner.size(); ++query) rows[query].replace(0, inner[query].size(), inner[query]);
  return rows;
}

}  // namespace attestone
