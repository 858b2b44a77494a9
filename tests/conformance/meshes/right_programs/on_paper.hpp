// SPDX-License-Identifier: Apache-2.0
// Costs as outside authors work them out: what a rank takes and gives back, in the order of its program, on paper.
#pragma once

#include <vector>

#include "tests/conformance/meshes/right_programs/sizes.hpp"

namespace attestone {

/// The buffers that a rank holds, and the messages that it has sent, so far.
class Paper {
 public:
  using Ticket = std::size_t;

  /// Holds these buffers until they are dropped.
  Ticket take(std::vector<NamedBytes> buffers) {
    held_.push_back(std::move(buffers));
    std::vector<NamedBytes> all;
    for (const auto& some : held_) all.insert(all.end(), some.begin(), some.end());
    costs_.hold(all);
    return held_.size() - 1;
  }
  void drop(Ticket buffers) { held_[buffers].clear(); }
  void send(index messages, index bytes) { costs_.send(messages, bytes); }
  const RankCosts& costs() const { return costs_; }

 private:
  std::vector<std::vector<NamedBytes>> held_;
  RankCosts costs_;
};

/// Buffers that go at different times.
struct PaperInputs {
  Paper::Ticket query, keys;
};
struct PaperAnswer {
  Paper::Ticket out, log_sum_exp;
};
/// `queries`: Q, log_sum_exp and dO.
struct PaperSaved {
  Paper::Ticket queries, out, keys;
};
struct PaperGradients {
  Paper::Ticket dquery, dkey, dvalue;
};

/// The buffers that a pass begins with: the rank's own rows.
PaperInputs begin_forward(Paper&, const Sizes&);
PaperSaved begin_backward(Paper&, const Sizes&);

/// The local call alone, as backends/distributed/rank/local_steps.hpp makes it.
PaperAnswer local_forward(Paper&, const Sizes&, PaperInputs);
PaperGradients local_backward(Paper&, const Sizes&, bool keeps_out, PaperSaved, index key_gradient_width);
RankCosts alone_forward_costs(const Sizes&);
RankCosts alone_backward_costs(const Sizes&, bool keeps_out, index key_gradient_width);

/// A running answer, as a ring has it; and a part of some keys, which is merged at once.
PaperAnswer begin_answer(Paper&, const Sizes&);
Paper::Ticket take_part(Paper&, const Sizes&, index place);
void take_in(Paper&, const Sizes&, index place);
PaperAnswer finish(Paper&, const Sizes&, PaperAnswer running);

/// StayingQueries, and sums as they are stored.
struct PaperStaying {
  PaperStaying(Paper&, const Sizes&, bool keeps_out, PaperSaved);
  void end(Paper&) const;

  Paper::Ticket queries, out, delta, dquery;
};
Paper::Ticket share(Paper&, const Sizes&, index place);
PaperGradients store(Paper&, const Sizes&, Paper::Ticket dquery, Paper::Ticket sums);

}  // namespace attestone
