// SPDX-License-Identifier: Apache-2.0
// The table of problem fields: how each is read, printed and checked.
#include "reference/problem/problem_fields.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/registry.hpp"

namespace attestone {
namespace {

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

void read_padding(Scanner& in, Problem& problem) {
  const std::size_t begin = in.position();
  const std::string side = in.word("a side");
  if (side != "left" && side != "right") in.fail(begin, "padding stands left or right, not '" + side + "'");
  problem.left_padded = side == "left";
}

Conflict padding_conflict(const Problem& problem) {
  if (problem.left_padded && problem.lengths.empty() && problem.query_lengths.empty())
    return {"no sequence is shorter than its place, so there is no padding", "add lengths=7+9 or query_lengths=3+4"};
  return {};
}

void read_value(Scanner& in, Problem& problem) {
  const std::size_t begin = in.position();
  const std::string tensor = in.word("a tensor");
  if (tensor != "key") in.fail(begin, "V is no view of '" + tensor + "'", "write value=key, or leave the field out");
  problem.value_is_key = true;
}

Conflict value_conflict(const Problem& problem) {
  const Shape& s = problem.shape;
  if (problem.value_is_key && s.value_dim > s.dim)
    return {fmt::format("K has {} channels, and V would be the first {} of them", s.dim, s.value_dim)};
  if (problem.value_is_key && !problem.formats.empty() && problem.formats[1] != problem.formats[2])
    return {"V is part of K, and has another format"};
  return {};
}

void read_wants(Scanner& in, Problem& problem) {
  const std::vector<TensorName> known = answers();
  do {
    const std::size_t begin = in.position();
    const std::string name = in.word("an answer");
    const auto wanted = find_tensor(known, name);
    if (!wanted) in.fail(begin, "no kernel answers with '" + name + "'", did_you_mean(name, names_of(known)));
    if (std::ranges::count(problem.wants, *wanted) > 0) in.fail(begin, "'" + name + "' is asked for twice");
    problem.wants.push_back(*wanted);
  } while (in.take('+'));
  std::ranges::sort(problem.wants);
}

Conflict wants_conflict(const Problem& problem) {
  const auto is_gradient_name = [](TensorName answer) {
    return answer != TensorName::out && answer != TensorName::log_sum_exp && answer != TensorName::max_logits;
  };
  if (problem.backward && !problem.wants.empty() && std::ranges::none_of(problem.wants, is_gradient_name))
    return {"the pass has gradients, and none of them is asked for", "add dquery, or leave out pass=forward+backward"};
  for (const TensorName wanted : problem.wants) {
    if (is_gradient_name(wanted) && !problem.backward)
      return {fmt::format("{} is a gradient, and the pass has none", text(wanted)), "add pass=forward+backward"};
    if (wanted == TensorName::dbias && !problem.score.bias_tensor())
      return {"there is no bias tensor, and so no dbias"};
    if (wanted == TensorName::dsink && !problem.score.has_sink()) return {"there is no sink, and so no dsink"};
  }
  return {};
}

void read_deterministic(Scanner& in, Problem& problem) {
  const std::size_t begin = in.position();
  const std::string number = in.word("0 or 1");
  if (number != "0" && number != "1") in.fail(begin, "deterministic is 0 or 1");
  problem.deterministic = number == "1";
}

Conflict deterministic_conflict(const Problem& problem) {
  if (!problem.deterministic && !problem.backward)
    return {"only gradients may differ from call to call, and nobody asks for them", "add pass=forward+backward"};
  return {};
}

void read_threads(Scanner& in, Problem& problem) {
  constexpr index most = 1024;  // more than machines have, and few enough to start
  const std::size_t begin = in.position();
  const index threads = in.integer("the number of threads", 1);
  if (threads > most) in.fail(begin, fmt::format("at most {} threads are asked for", most));
  problem.threads = static_cast<int>(threads);
}

/// "... are not judged yet", where `is_there`.
Conflict later(bool is_there, const char* what, const char* hint) {
  return is_there ? Conflict{fmt::format("{} not judged yet", what), hint} : Conflict{};
}

Conflict layouts_to_come_of(const Problem& problem) {
  const auto is_to_come = [](const std::string& name) { return !Registry<Layout>::find(name); };
  std::string name = is_to_come(problem.layout) ? problem.layout : "";
  for (const TensorLayout& own : problem.tensor_layouts)
    if (is_to_come(own.layout)) name = own.layout;
  return later(!name.empty(), fmt::format("tensors of the layout '{}' are", name).c_str(),
               "attestone list layouts shows those of this version");
}

Conflict formats_to_come_of(const Problem& problem) {
  const auto has_scales = [](const Format& format) { return !format.granularity.empty(); };
  if (std::ranges::any_of(problem.formats, has_scales))
    return later(true, "formats with scales are", "without its granularity a dtype is judged");
  return later(!problem.formats.empty(), "inputs in several formats are", "give all of them one, as in dtype=bf16");
}

const auto table = std::to_array<ProblemField>({
    {{"shape", "shape=2x8/2x1000x1000x64", "batch x heads[/kv_heads] x queries x keys x dim[:value_dim]"},
     read_shape,
     print_shape,
     shape_conflict},
    {{"lengths", "lengths=7+9", "the keys that each sequence of a padded or ragged batch really has"},
     [](Scanner& in, Problem& p) { p.lengths = read_lengths(in); },
     [](const Problem& p) { return print_lengths(p.lengths); },
     key_lengths_conflict},
    {{"query_lengths", "query_lengths=3+4", "the queries that each sequence of a padded or ragged batch really has"},
     [](Scanner& in, Problem& p) { p.query_lengths = read_lengths(in); },
     [](const Problem& p) { return print_lengths(p.query_lengths); },
     query_lengths_conflict},
    {{"padding", "padding=left", "where padding stands: behind the rows of a sequence, or before them"},
     read_padding,
     [](const Problem& p) { return std::string(p.left_padded ? "left" : ""); },
     padding_conflict,
     [](const Problem& p) { return later(p.left_padded, "left padding is", "padding behind a sequence is judged"); }},
    {{"spare_rows", "spare_rows=8", "rows of memory behind the rows of every sequence, which nobody may read or write"},
     read_spare_rows,
     [](const Problem& p) { return p.spare_rows == 0 ? std::string() : fmt::format("{}", p.spare_rows); },
     spare_rows_conflict},
    {{"mask", "mask=causal&window:128:0", "which keys a query sees; ~ binds tightest, then &, then |"},
     [](Scanner& in, Problem& p) { p.mask = read_mask(in); },
     [](const Problem& p) { return p.mask.is_full() ? std::string() : p.mask.text(); }},
    {{"score", "score=softcap:30&alibi", "what happens to scale * q.k before the mask"},
     [](Scanner& in, Problem& p) { p.score = read_score(in); },
     [](const Problem& p) { return p.score.text(); },
     bias_conflict},
    {{"scale", "scale=0.125", "the factor of q.k; 1/sqrt(dim) if not given"},
     read_scale,
     [](const Problem& p) { return p.given_scale ? fmt::format("{}", *p.given_scale) : std::string(); }},
    {{"dropout", "dropout=0.1", "the share of pairs that is dropped"},
     read_dropout,
     [](const Problem& p) { return p.dropout == 0 ? std::string() : fmt::format("{}", p.dropout); }},
    {{"value", "value=key", "V is a view of K: its first value_dim channels, as in MLA"},
     read_value,
     [](const Problem& p) { return std::string(p.value_is_key ? "key" : ""); },
     value_conflict,
     [](const Problem& p) {
       return later(p.value_is_key, "V as a view of K is", "with a V of its own the same shape is judged");
     }},
    {{"dtype", "dtype=bf16>f32", "the format of the inputs, or of each of them, and of the output if it is another"},
     read_formats,
     print_formats,
     nullptr,
     formats_to_come_of},
    {{"layout", "layout=bshd+dout/transposed", "where the elements lie in memory, and those of single tensors"},
     read_layouts,
     print_layouts,
     layout_conflict,
     layouts_to_come_of},
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
    {{"wants", "wants=out+dquery", "the answers that are asked for; all of them but max_logits if not given"},
     read_wants,
     [](const Problem& p) { return fmt::format("{}", fmt::join(names_of(p.wants), "+")); },
     wants_conflict},
    {{"deterministic", "deterministic=0", "0: gradients may have other bits from call to call"},
     read_deterministic,
     [](const Problem& p) { return std::string(p.deterministic ? "" : "0"); },
     deterministic_conflict},
    {{"threads", "threads=3", "how many threads a kernel is asked to use; as many as there are if not given"},
     read_threads,
     [](const Problem& p) { return p.threads == 0 ? std::string() : fmt::format("{}", p.threads); }},
    {{"seed", "seed=7", "from which every element of the inputs follows"},
     [](Scanner& in, Problem& p) { p.seed = in.unsigned_integer("the seed"); },
     [](const Problem& p) { return p.seed == 1 ? std::string() : fmt::format("{}", p.seed); }},
});

}  // namespace

std::span<const ProblemField> problem_field_table() { return table; }

}  // namespace attestone
