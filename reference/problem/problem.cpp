// SPDX-License-Identifier: Apache-2.0
// The consequences of a problem: scale, lengths, visibility; and its text.
#include "reference/problem/problem.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "reference/problem/problem_fields.hpp"

namespace attestone {

double Problem::scale() const { return given_scale ? *given_scale : 1 / std::sqrt(static_cast<double>(shape.dim)); }

Sequence Problem::sequence(index batch) const {
  const auto own = [&](const std::vector<index>& given, index all) {
    return given.empty() ? all : given[static_cast<std::size_t>(batch)];
  };
  return {own(query_lengths, shape.queries), own(lengths, shape.keys)};
}

bool Problem::visible(const Pair& pair) const {
  const Sequence own = sequence(pair.batch);
  return pair.query < own.queries && pair.key < own.keys && mask.allows({own, pair, seed});
}

const DType& Problem::log_sum_exp_dtype() const { return dtype(output.name == "f64" ? "f64" : "f32"); }

std::vector<TensorName> Problem::usual_answers() const {
  std::vector<TensorName> all{TensorName::out, TensorName::log_sum_exp};
  if (!backward) return all;
  all.insert(all.end(), {TensorName::dquery, TensorName::dkey, TensorName::dvalue});
  if (score.bias_tensor()) all.push_back(TensorName::dbias);
  if (score.has_sink()) all.push_back(TensorName::dsink);
  return all;
}

bool Problem::wanted(TensorName answer) const {
  const bool of_forward = answer == TensorName::out || answer == TensorName::log_sum_exp;
  if ((wants.empty() && answer != TensorName::max_logits) || (backward && of_forward)) return true;
  return std::ranges::count(wants, answer) > 0;
}

bool Problem::wants_all() const {
  const std::vector<TensorName> usual = usual_answers();
  return std::ranges::all_of(usual, [&](TensorName answer) { return wanted(answer); });
}

void Problem::want_all() {
  const bool maxima = wanted(TensorName::max_logits);
  wants.clear();
  if (!maxima) return;
  wants = usual_answers();
  wants.push_back(TensorName::max_logits);
}

void Problem::drop_gradients() {
  const bool had_gradients = backward;
  backward = false, deterministic = true;
  if (had_gradients) want_all();
}

void Problem::pack() {
  layout = "bhsd", spare_rows = 0;
  layout_arguments.clear(), tensor_layouts.clear();
}

std::string Problem::text() const {
  std::string all;
  for (const ProblemField& field : problem_field_table()) {
    const std::string value = field.print(*this);
    if (value.empty()) continue;
    if (!all.empty()) all += ' ';
    all += std::string(field.help.name) + "=" + value;
  }
  return all;
}

namespace {

const ProblemField& find_field(const Scanner& in, std::size_t begin, const std::string& name) {
  std::vector<std::string> names;
  for (const ProblemField& field : problem_field_table()) {
    if (field.help.name == name) return field;
    names.emplace_back(field.help.name);
  }
  in.fail(begin, "unknown field '" + name + "'", did_you_mean(name, names));
}

struct Stretch {
  std::size_t begin, end;
};

}  // namespace

Problem parse_problem(std::string_view text) {
  Problem problem;
  std::map<const ProblemField*, Stretch> given;
  Scanner in(text);
  while (true) {
    while (in.take(' ')) {
    }
    if (in.done()) break;
    const std::size_t begin = in.position();
    const std::string name = in.word("a field, as in mask=causal");
    const ProblemField& field = find_field(in, begin, name);
    if (given.count(&field)) in.fail(begin, "field '" + name + "' is given twice");
    in.expect('=', "after the name of a field");
    const std::size_t value = in.position();
    field.read(in, problem);
    given[&field] = {value, in.position()};
    if (!in.done() && in.peek() != ' ')
      in.fail(in.position(), "this does not belong to the field '" + name + "'",
              "blanks stand between fields, commas between several values of one, as in seed=1,2,3");
  }
  if (!given.count(&problem_field_table().front()))
    in.fail(in.position(), "a problem needs a shape",
            "add shape=batch x heads x queries x keys x dim, as in shape=1x4x128x128x64");
  for (const auto& [field, stretch] : given) {
    const Conflict conflict = field->conflict ? field->conflict(problem) : Conflict();
    if (conflict.empty()) continue;
    in.skip_to(stretch.end);
    in.fail(stretch.begin, conflict.message, conflict.hint);
  }
  return problem;
}

// More than any suite means; a slip of the finger in a line of commas must not fill the memory.
constexpr std::size_t most_problems_of_a_line = 100'000;

std::vector<std::string> multiplied(std::string_view text) {
  std::vector<std::string> lines{""};
  Scanner in(text);
  while (true) {
    while (in.take(' ')) {
    }
    if (in.done()) break;
    const std::size_t begin = in.position();
    const std::string name = in.until("= ");
    const bool has_value = in.take('=');
    std::vector<std::string> choices;
    do choices.push_back(has_value ? fmt::format("{}={}", name, in.until(", ")) : name);
    while (in.take(','));
    if (choices.size() > most_problems_of_a_line / lines.size())
      in.fail(begin, fmt::format("this line is more than {} problems", most_problems_of_a_line));
    std::vector<std::string> longer;
    for (const std::string& line : lines)
      for (const std::string& choice : choices) longer.push_back(line.empty() ? choice : line + " " + choice);
    lines = std::move(longer);
  }
  return lines;
}

std::vector<Problem> parse_problems(std::string_view text) {
  std::vector<Problem> problems;
  for (const std::string& line : multiplied(text)) problems.push_back(parse_problem(line));
  return problems;
}

std::vector<FieldHelp> problem_fields() {
  std::vector<FieldHelp> all;
  for (const ProblemField& field : problem_field_table()) all.push_back(field.help);
  return all;
}

}  // namespace attestone
