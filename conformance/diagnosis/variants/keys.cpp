// SPDX-License-Identifier: Apache-2.0
// Keys that are lost, read twice, or read behind the end; sequences and heads that read another's.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "conformance/diagnosis/variant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Change = std::function<void(Definition&)>;

/// Pairs are seen only where `also` says so as well.
Change only_where(const std::function<bool(const Definition&, const Pair&)>& also) {
  return
      [also](Definition& d) { d.sees = [&d, also](const Pair& at) { return d.problem.visible(at) && also(d, at); }; };
}

void add_lost_keys(const Problem& problem, std::vector<Variant>& all) {
  const index keys = problem.shape.keys;
  std::set<index> lost{1};
  for (const index tile : {2, 4, 8, 16, 32, 64, 128})
    if (keys % tile != 0 && keys > tile) lost.insert(keys % tile);
  for (const index count : lost) {
    if (count >= keys) continue;
    all.push_back({fmt::format("the last {} of {} keys never read", count, keys),
                   fmt::format("the last {} of {} keys take no part", count, keys),
                   "the last tile of keys: rounding down where a partial tile is left",
                   only_where([=](auto&, auto& at) { return at.key < keys - count; })});
    if (!problem.lengths.empty())
      all.push_back({fmt::format("the last {} keys of each sequence never read", count),
                     fmt::format("the last {} real keys of each sequence take no part", count),
                     "the last tile of keys of a sequence", only_where([=](const Definition& d, const Pair& at) {
                       return at.key < d.problem.sequence(at.batch).keys - count;
                     })});
  }
  all.push_back({"the first key never read", "the first key takes no part", "loops that start at 1, BOS handling",
                 only_where([](auto&, const Pair& at) { return at.key > 0; })});
  all.push_back({"the first key counted twice", "the first key weighs twice", "the state before the first tile",
                 [](Definition& d) { d.times = [](const Pair& at) { return at.key == 0 ? 2.0 : 1.0; }; }});
  all.push_back(
      {"the last key counted twice", "the last key weighs twice", "overlapping last tiles",
       [keys](Definition& d) { d.times = [keys](const Pair& at) { return at.key == keys - 1 ? 2.0 : 1.0; }; }});
}

void add_keys_of_zeros(std::vector<Variant>& all) {
  for (index count = 1; count < 8; ++count)
    all.push_back({count == 1 ? "1 key of zeros takes part" : fmt::format("{} keys of zeros take part", count),
                   fmt::format("beside the keys, {} of zeros weigh exp(0)", count),
                   "what masks the rows by which a sequence is filled up",
                   [count](Definition& d) { d.keys_of_zeros = count; }});
}

void add_lengths(const Problem& problem, std::vector<Variant>& all) {
  if (problem.lengths.empty()) return;
  const auto with_lengths = [&](const std::string& name, const std::string& says,
                                const std::function<index(index batch)>& length) {
    Problem other = problem;
    for (index b = 0; b < problem.shape.batch; ++b)
      other.lengths[static_cast<std::size_t>(b)] = std::clamp<index>(length(b), 0, problem.shape.keys);
    all.push_back({name, says, "cu_seqlens, and the lengths that masks align by",
                   [other](Definition& d) { d.sees = [other](const Pair& at) { return other.visible(at); }; }});
  };
  const auto real = [&](index b) { return problem.lengths[static_cast<std::size_t>(b)]; };
  with_lengths("lengths ignored", "padding is read as if it were keys", [&](index) { return problem.shape.keys; });
  with_lengths("lengths one short", "every sequence loses its last key", [&](index b) { return real(b) - 1; });
  with_lengths("lengths one long", "every sequence reads one key behind its end", [&](index b) { return real(b) + 1; });
  with_lengths("length of the first sequence", "every sequence has the length of the first",
               [&](index) { return real(0); });
}

/// K and V come from another head or sequence.
Change from_elsewhere(const std::function<KeyPlace(const Definition&, const Pair&)>& place) {
  return [place](Definition& d) { d.key_of = d.value_of = [&d, place](const Pair& at) { return place(d, at); }; };
}

void add_heads(const Problem& problem, std::vector<Variant>& all) {
  const Shape& s = problem.shape;
  constexpr const char* group = "which kv head a query head reads: head / (heads / kv_heads)";
  if (s.kv_heads > 1) {
    all.push_back(
        {"first kv head for all", "every query head reads kv head 0", group, from_elsewhere([](auto&, const Pair& at) {
           return KeyPlace{at.batch, 0, at.key};
         })});
    all.push_back({"kv heads reversed", "the last query heads read the first kv head", group,
                   from_elsewhere([](const Definition& d, const Pair& at) {
                     const Shape& shape = d.problem.shape;
                     return KeyPlace{at.batch, shape.kv_heads - 1 - shape.kv_head(at.head), at.key};
                   })});
    if (s.heads != s.kv_heads)
      all.push_back({"kv heads interleaved", "query head h reads kv head h modulo kv_heads", group,
                     from_elsewhere([](const Definition& d, const Pair& at) {
                       return KeyPlace{at.batch, at.head % d.problem.shape.kv_heads, at.key};
                     })});
  }
  if (s.batch > 1)
    all.push_back({"first sequence for all", "every sequence reads K and V of the first", "batch strides of K and V",
                   from_elsewhere([](const Definition& d, const Pair& at) {
                     return KeyPlace{0, d.problem.shape.kv_head(at.head), at.key};
                   })});
  if (s.batch > 1)
    all.push_back({"one row short behind the first sequence", "later sequences begin one row too early", "cu_seqlens",
                   from_elsewhere([](const Definition& d, const Pair& at) {
                     const index head = d.problem.shape.kv_head(at.head);
                     if (at.batch == 0) return KeyPlace{0, head, at.key};
                     if (at.key > 0) return KeyPlace{at.batch, head, at.key - 1};
                     return KeyPlace{at.batch - 1, head, std::max<index>(d.problem.sequence(at.batch - 1).keys - 1, 0)};
                   })});
  if (s.keys > 1)
    all.push_back(
        {"V of the next key", "a key's weight meets the V of its neighbour", "offsets of V", [](Definition& d) {
           d.value_of = [&d](const Pair& at) {
             return KeyPlace{at.batch, d.problem.shape.kv_head(at.head),
                             std::min(at.key + 1, d.problem.shape.keys - 1)};
           };
         }});
}

std::vector<Variant> variants(const Problem& problem) {
  std::vector<Variant> all;
  if (problem.shape.keys > 0) add_lost_keys(problem, all);
  add_keys_of_zeros(all);
  add_lengths(problem, all);
  add_heads(problem, all);
  return all;
}

const Registration<VariantFamily> registered{{.name = "keys", .of = variants}};

}  // namespace
}  // namespace attestone::inline conformance
