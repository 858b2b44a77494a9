// SPDX-License-Identifier: Apache-2.0
// Reads a mask: ~ binds tightest, then &, then |.
#include "reference/problem/problem_fields.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

// Parentheses deeper than this are no mask that anybody means, and would exhaust the stack.
constexpr int deepest = 64;

Mask read_either(Scanner&, int depth);

/// The rule with the longest name that matches: "causal:top_left" before "causal".
const MaskRule& read_rule(Scanner& in, std::size_t begin) {
  std::string name = in.word("a mask");
  if (in.peek() == ':') {
    Scanner ahead = in;
    ahead.take(':');
    const std::string longer = name + ":" + ahead.until(":&|) ,");
    if (Registry<MaskRule>::find(longer)) {
      in = ahead;
      name = longer;
    }
  }
  const MaskRule* rule = Registry<MaskRule>::find(name);
  if (!rule) in.fail(begin, "unknown mask '" + name + "'", did_you_mean(name, Registry<MaskRule>::names()));
  return *rule;
}

Mask read_atom(Scanner& in, int depth) {
  const std::size_t begin = in.position();
  if (in.take('(')) {
    if (depth == deepest) in.fail(begin, "parentheses are nested too deeply");
    const Mask inner = read_either(in, depth + 1);
    in.expect(')', "to close the parenthesis");
    return inner;
  }
  const MaskRule& rule = read_rule(in, begin);
  std::vector<index> arguments;
  for (int i = 0; i < rule.argument_count; ++i) {
    if (!in.take(':'))
      in.fail(begin, "mask '" + std::string(rule.name) + "' needs its arguments",
              "write " + std::string(rule.name) + ":" + std::string(rule.arguments));
    const std::size_t at = in.position();
    arguments.push_back(in.integer("the argument of the mask", rule.least_argument));
    if (arguments.back() > rule.most_argument)
      in.fail(at, "the argument of the mask is at most " + std::to_string(rule.most_argument));
  }
  if (in.take(':')) in.fail(begin, "mask '" + std::string(rule.name) + "' takes no more arguments");
  return Mask(std::string(rule.name), arguments);
}

Mask read_not(Scanner& in, int depth) { return in.take('~') ? ~read_atom(in, depth) : read_atom(in, depth); }

Mask read_both(Scanner& in, int depth) {
  Mask mask = read_not(in, depth);
  while (in.take('&')) mask = mask & read_not(in, depth);
  return mask;
}

Mask read_either(Scanner& in, int depth) {
  Mask mask = read_both(in, depth);
  while (in.take('|')) mask = mask | read_both(in, depth);
  return mask;
}

}  // namespace

Mask read_mask(Scanner& in) { return read_either(in, 0); }

}  // namespace attestone
