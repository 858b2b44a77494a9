// SPDX-License-Identifier: Apache-2.0
// Calling on other schedules, and the search for the step at which bits change.
#include "conformance/properties/metamorphic/schedule.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "conformance/properties/metamorphic/same_rows.hpp"

namespace attestone::inline conformance {
namespace {

/// Multiply-adds, and what else becomes of a pair.
double work_of(const Problem& problem) {
  constexpr double both_passes = 4;
  constexpr index beside_products = 32;
  const Shape& s = problem.shape;
  return static_cast<double>(s.rows()) * static_cast<double>(s.keys) *
         static_cast<double>(s.dim + s.value_dim + beside_products) * (problem.backward ? both_passes : 1);
}

/// True if the rows of the call see the keys that those of `problem` see.
bool seen_alike(const Problem& problem, const ScheduledCall& call) {
  const Shape& s = problem.shape;
  return sees_the_same(call.problem, problem, [&](const AnswerRow& row) {
    const bool known = row.batch < call.known_sequences();
    return AnswerRow{row.batch % s.batch, row.head % s.heads, known ? call.first_query + row.query : s.queries};
  });
}

enum class Bits { same, changed, unasked };

/// The calls of one schedule, beside the trial's answer.
class Search {
 public:
  Search(Trial& trial, const Schedule& schedule, const RowAnswers& own)
      : trial_(trial), schedule_(schedule), own_(own) {
    // The cost of small problems is not worth counting: tiles of usual sizes are reached.
    constexpr double cheap_call = 0x1p22, cheap_search = 0x1p23;
    const double work = work_of(trial.problem());
    most_of_one_ = std::max(cheap_call, 4 * work), left_ = std::max(cheap_search, 8 * work);
  }

  /// The failure, if there is one: first of the numbers above the trial's own, the nearest first, then below.
  std::optional<Verdict> changed_bits() {
    const std::vector<index> sizes = sizes_around(schedule_.own, schedule_.least);
    const auto above = std::upper_bound(sizes.begin(), sizes.end(), schedule_.own);
    if (auto verdict = first_of(above, sizes.end())) return verdict;
    return first_of(std::make_reverse_iterator(above), sizes.rend());
  }
  /// True if there was any call.
  bool asked() const { return asked_; }

 private:
  template <class Iterator>
  std::optional<Verdict> first_of(Iterator begin, Iterator end) {
    index same = schedule_.own;
    for (Iterator size = begin; size != end; ++size) {
      const Bits bits = ask(*size);
      if (bits == Bits::changed) return verdict(same, *size);
      if (bits == Bits::same) same = *size;
    }
    return std::nullopt;
  }

  /// Halves the way between the two numbers for as long as there are calls.
  Verdict verdict(index same, index changed) {
    left_ = std::numeric_limits<double>::infinity();
    while (std::abs(changed - same) > 1) {
      const index between = same + (changed - same) / 2;
      const Bits bits = ask(between);
      if (bits == Bits::unasked) break;
      (bits == Bits::same ? same : changed) = between;
    }
    return Verdict::failed("schedule",
                           fmt::format("the bits of a row change {}: {}", schedule_.step(same, changed), difference_));
  }

  Bits ask(index size) {
    Bits bits = Bits::unasked;
    for (const ScheduledCall& call : schedule_.calls(size)) {
      const std::optional<std::string> difference = difference_of(call);
      if (!difference) continue;
      bits = Bits::same;
      if (difference->empty()) continue;
      difference_ = *difference;
      return Bits::changed;
    }
    return bits;
  }

  /// Nothing if the call is too dear, if it is another one for the rows, or if the kernel refuses it.
  std::optional<std::string> difference_of(const ScheduledCall& call) {
    const double work = work_of(call.problem);
    if (work > most_of_one_ || work > left_) return std::nullopt;
    if (!trial_.kernel().takes(call.problem) || !seen_alike(trial_.problem(), call)) return std::nullopt;
    left_ -= work;
    try {
      const std::string difference = first_difference(own_, row_answers(trial_, call));
      asked_ = true;
      return difference;
    } catch (const KernelRefusal&) {
      return std::nullopt;
    }
  }

  Trial& trial_;
  const Schedule& schedule_;
  const RowAnswers& own_;
  double most_of_one_, left_;
  bool asked_ = false;
  std::string difference_;  // of the last call with other bits
};

}  // namespace

Problem scheduled(const Problem& problem) {
  Problem other = problem;
  if (problem.layout != "ragged" || !problem.tensor_layouts.empty() || problem.spare_rows > 0) other.pack();
  return other;
}

std::string grows(index from, index to) {
  return fmt::format("{} from {} to {}", from < to ? "grows" : "shrinks", from, to);
}

std::vector<index> sizes_around(index own, index least) {
  constexpr index largest_tile = 4096;
  std::set<index> sizes{own - 1, own + 1};
  for (index power = 1; power <= largest_tile; power *= 2) sizes.insert({power - 1, power, power + 1});
  sizes.erase(own);
  return {sizes.lower_bound(least), sizes.end()};
}

Verdict judged(Trial& trial, const std::vector<Schedule>& schedules) {
  const ScheduledCall packed{scheduled(trial.problem())};
  if (const Support support = trial.kernel().takes(packed.problem); !support) return Verdict::skipped(support.why);
  const RowAnswers own = row_answers(trial, packed);
  bool asked = false;
  for (const Schedule& schedule : schedules) {
    Search search(trial, schedule, own);
    if (const auto verdict = search.changed_bits()) {
      if (first_difference(own, row_answers(trial, packed)).empty()) return *verdict;
      return Verdict::inconclusive("wrong-anyway", "the same call answers with other bits each time");
    }
    asked = asked || search.asked();
  }
  return asked ? Verdict::passed() : Verdict::skipped("no other call has the same rows");
}

std::string without_schedules(const Problem& problem) {
  if (problem.shape.queries == 0 || problem.shape.keys == 0) return "no row sees a key";
  if (is_sampled(problem)) return "too long to be called time and again";
  return without_numbers(problem);
}

}  // namespace attestone::inline conformance
