// SPDX-License-Identifier: Apache-2.0
// The table of problem fields: how each is read, printed and checked.
#include "reference/problem_fields.hpp"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/registry.hpp"

namespace attestone {
namespace {

// No extent, no tensor, and no count of pairs times channels is larger: offsets in bytes, and amounts of work, then fit
// an index with room to spare.
constexpr index largest_extent = index{1} << 31;
constexpr index largest_tensor = index{1} << 44;
constexpr index largest_work = index{1} << 60;

index read_extent(Scanner& in, const char* what, index least) {
  const std::size_t begin = in.position();
  const index extent = in.integer(what, least);
  if (extent > largest_extent) in.fail(begin, std::string(what) + " is at most 2^31");
  return extent;
}

void read_shape(Scanner& in, Problem& problem) {
  Shape& s = problem.shape;
  const auto next = [&] {
    in.expect('x', "between extents: batch x heads[/kv_heads] x queries x keys x dim[:value_dim]");
  };
  s.batch = read_extent(in, "batch", 1), next();
  s.heads = s.kv_heads = read_extent(in, "heads", 1);
  if (in.take('/')) s.kv_heads = read_extent(in, "kv_heads", 1);
  next(), s.queries = read_extent(in, "queries", 0);
  next(), s.keys = read_extent(in, "keys", 0);
  next(), s.dim = s.value_dim = read_extent(in, "dim", 1);
  if (in.take(':')) s.value_dim = read_extent(in, "value_dim", 1);
}

std::string print_shape(const Problem& problem) {
  const Shape& s = problem.shape;
  return fmt::format("{}x{}{}x{}x{}x{}{}", s.batch, s.heads,
                     s.kv_heads == s.heads ? "" : fmt::format("/{}", s.kv_heads), s.queries, s.keys, s.dim,
                     s.value_dim == s.dim ? "" : fmt::format(":{}", s.value_dim));
}

/// Whether extents multiply to more than `most`. An extent of 0 counts as 1: the others are still gone through.
bool too_large(std::initializer_list<index> extents, index most = largest_tensor) {
  index product = 1;
  for (const index extent : extents) {
    if (extent > 0 && product > most / extent) return true;
    product *= std::max<index>(extent, 1);
  }
  return false;
}

Conflict shape_conflict(const Problem& problem) {
  const Shape& s = problem.shape;
  if (s.heads % s.kv_heads != 0)
    return {fmt::format("heads ({}) is no multiple of kv_heads ({}): query heads share kv heads in equal groups",
                        s.heads, s.kv_heads)};
  if (too_large({s.batch, s.heads}, largest_extent)) return {"this is more than 2^31 heads, of all sequences together"};
  const index width = std::max(s.dim, s.value_dim);
  if (too_large({s.batch, s.heads, s.queries, width}) || too_large({s.batch, s.kv_heads, s.keys, width}))
    return {"a tensor of this shape has more than 2^44 elements"};
  if (too_large({s.batch, s.heads, s.queries, s.keys, width}, largest_work))
    return {"this takes more than 2^60 multiply-adds"};
  return {};
}

Conflict score_conflict(const Problem& problem) {
  const Shape& s = problem.shape;
  const bool pairs = problem.score.bias_tensor() && problem.score.bias_tensor() != "key";
  if (pairs && too_large({s.batch, s.heads, s.queries, s.keys}))
    return {"a bias of this shape may have more than 2^44 elements"};
  return {};
}

Conflict layout_conflict(const Problem& problem) {
  const Layout& layout = *Registry<Layout>::find(problem.layout);
  if (layout.takes(problem.shape)) return {};
  std::string others;
  for (const auto& [name, other] : Registry<Layout>::all())
    if (!other.fits) others += " " + name;
  return {fmt::format("layout '{}' needs {}", layout.name, layout.needs), "layouts of every shape:" + others};
}

std::vector<index> read_lengths(Scanner& in) {
  std::vector<index> lengths;
  do lengths.push_back(in.integer("a length", 0));
  while (in.take('+'));
  return lengths;
}

Conflict lengths_conflict(const std::vector<index>& lengths, index batch, index extent, const char* of_what) {
  if (!lengths.empty() && static_cast<index>(lengths.size()) != batch)
    return {fmt::format("{} lengths for a batch of {}", lengths.size(), batch)};
  for (const index length : lengths)
    if (length > extent) return {fmt::format("length {} is more than the {} {} of the shape", length, extent, of_what)};
  return {};
}

std::string names_without_scales() {
  std::string names;
  for (const auto& [name, format] : Registry<DType>::all())
    if (!format.needs_scales) names += " " + name;
  return names;
}

const DType& read_dtype(Scanner& in) {
  const std::size_t begin = in.position();
  const std::string name = in.word("a dtype");
  const DType* known = Registry<DType>::find(name);
  if (!known) in.fail(begin, "unknown dtype '" + name + "'", did_you_mean(name, Registry<DType>::names()));
  if (known->needs_scales)
    in.fail(begin, "dtype '" + name + "' needs a scale for each block of elements, and no problem has scales yet",
            "formats that need none:" + names_without_scales());
  return *known;
}

void read_dropout(Scanner& in, Problem& problem) {
  const std::size_t begin = in.position();
  problem.dropout = in.number("the dropout rate");
  if (!(problem.dropout >= 0 && problem.dropout < 1)) in.fail(begin, "a dropout rate is at least 0 and below 1");
  problem.dropout = std::abs(problem.dropout);  // -0 is 0
}

void read_scale(Scanner& in, Problem& problem) {
  const std::size_t begin = in.position();
  problem.given_scale = in.number("the scale");
  if (*problem.given_scale == 0)
    in.fail(begin, "a scale of 0 would make every key the same", "use fill=ties for tied scores");
}

void read_layout(Scanner& in, Problem& problem) {
  const std::size_t begin = in.position();
  problem.layout = in.word("a layout");
  if (!Registry<Layout>::find(problem.layout))
    in.fail(begin, "unknown layout '" + problem.layout + "'", did_you_mean(problem.layout, Registry<Layout>::names()));
}

void read_fill(Scanner& in, Problem& problem) {
  problem.fill = {in.word("a fill"), {}};
  while (in.take(':')) {
    problem.fill.arguments.push_back(in.until(": ,"));
    if (problem.fill.arguments.back().empty()) in.fail(in.position(), "expected an argument of the fill");
  }
}

void read_pass(Scanner& in, Problem& problem) {
  const std::size_t begin = in.position();
  const std::string pass = in.until(" ,");
  if (pass != "forward" && pass != "forward+backward")
    in.fail(begin, "unknown pass '" + pass + "'", "known: forward forward+backward");
  problem.backward = pass == "forward+backward";
}

const auto table = std::to_array<ProblemField>({
    {{"shape", "shape=2x8/2x1000x1000x64", "batch x heads[/kv_heads] x queries x keys x dim[:value_dim]"},
     read_shape,
     print_shape,
     shape_conflict},
    {{"lengths", "lengths=7+9", "the keys that each sequence of a padded or ragged batch really has"},
     [](Scanner& in, Problem& p) { p.lengths = read_lengths(in); },
     [](const Problem& p) { return fmt::format("{}", fmt::join(p.lengths, "+")); },
     [](const Problem& p) { return lengths_conflict(p.lengths, p.shape.batch, p.shape.keys, "keys"); }},
    {{"query_lengths", "query_lengths=3+4", "the queries that each sequence of a padded or ragged batch really has"},
     [](Scanner& in, Problem& p) { p.query_lengths = read_lengths(in); },
     [](const Problem& p) { return fmt::format("{}", fmt::join(p.query_lengths, "+")); },
     [](const Problem& p) { return lengths_conflict(p.query_lengths, p.shape.batch, p.shape.queries, "queries"); }},
    {{"mask", "mask=causal&window:128:0", "which keys a query sees; ~ binds tightest, then &, then |"},
     [](Scanner& in, Problem& p) { p.mask = read_mask(in); },
     [](const Problem& p) { return p.mask.is_full() ? std::string() : p.mask.text(); }},
    {{"score", "score=softcap:30&alibi", "what happens to scale * q.k before the mask"},
     [](Scanner& in, Problem& p) { p.score = read_score(in); },
     [](const Problem& p) { return p.score.text(); },
     score_conflict},
    {{"scale", "scale=0.125", "the factor of q.k; 1/sqrt(dim) if not given"},
     read_scale,
     [](const Problem& p) { return p.given_scale ? fmt::format("{}", *p.given_scale) : std::string(); }},
    {{"dropout", "dropout=0.1", "the share of pairs that is dropped"},
     read_dropout,
     [](const Problem& p) { return p.dropout == 0 ? std::string() : fmt::format("{}", p.dropout); }},
    {{"dtype", "dtype=bf16>f32", "the format of the inputs, and of the output if it is another"},
     [](Scanner& in, Problem& p) {
       p.input = p.output = read_dtype(in);
       if (in.take('>')) p.output = read_dtype(in);
     },
     [](const Problem& p) {
       if (p.input == p.output) return p.input.name == "f32" ? std::string() : std::string(p.input.name);
       return fmt::format("{}>{}", p.input.name, p.output.name);
     }},
    {{"layout", "layout=bshd", "where the elements lie in memory"},
     read_layout,
     [](const Problem& p) { return p.layout == "bhsd" ? std::string() : p.layout; },
     layout_conflict},
    {{"fill", "fill=uniform", "what the inputs hold"},
     read_fill,
     [](const Problem& p) {
       if (p.fill == FillChoice{}) return std::string();
       std::string all = p.fill.name;
       for (const std::string& argument : p.fill.arguments) all += ":" + argument;
       return all;
     }},
    {{"pass", "pass=forward+backward", "whether gradients are asked for as well"},
     read_pass,
     [](const Problem& p) { return std::string(p.backward ? "forward+backward" : ""); }},
    {{"seed", "seed=7", "from which every element of the inputs follows"},
     [](Scanner& in, Problem& p) { p.seed = in.unsigned_integer("the seed"); },
     [](const Problem& p) { return p.seed == 1 ? std::string() : fmt::format("{}", p.seed); }},
});

}  // namespace

std::span<const ProblemField> problem_field_table() { return table; }

}  // namespace attestone
