// SPDX-License-Identifier: Apache-2.0
// Steps that several programs have in common, on paper.
#include "tests/conformance/meshes/right_programs/on_paper.hpp"

#include <utility>

namespace attestone {

PaperInputs begin_forward(Paper& paper, const Sizes& size) {
  const index own = size.own(), in = size.in();
  const auto query = paper.take({{"query", size.query(own, in)}});
  return {query, paper.take({{"key", size.key(own, in)}, {"value", size.value(own, in)}})};
}

PaperSaved begin_backward(Paper& paper, const Sizes& size) {
  const index own = size.own(), in = size.in(), answer = size.answer(own, size.out());
  const auto queries =
      paper.take({{"query", size.query(own, in)}, {"log_sum_exp", size.log_sum_exp(own)}, {"dout", answer}});
  const auto out = paper.take({{"out", answer}});
  return {queries, out, paper.take({{"key", size.key(own, in)}, {"value", size.value(own, in)}})};
}

PaperAnswer local_forward(Paper& paper, const Sizes& size, PaperInputs inputs) {
  const auto out = paper.take({{"out", size.answer(size.own(), size.out())}});
  const auto log_sum_exp = paper.take({{"log_sum_exp", size.log_sum_exp(size.own())}});
  paper.drop(inputs.query);
  paper.drop(inputs.keys);
  return {out, log_sum_exp};
}

PaperGradients local_backward(Paper& paper, const Sizes& size, bool keeps_out, PaperSaved saved,
                              index key_gradient_width) {
  const index own = size.own();
  const auto delta = paper.take({{"delta", size.statistic(own, 4)}});
  if (!keeps_out) paper.drop(saved.out);
  const auto dquery = paper.take({{"dquery", size.query(own, size.out())}});
  const auto dkey = paper.take({{"dkey", size.key(own, key_gradient_width)}});
  const auto dvalue = paper.take({{"dvalue", size.value(own, key_gradient_width)}});
  for (const auto done : {delta, saved.queries, saved.out, saved.keys}) paper.drop(done);
  return {dquery, dkey, dvalue};
}

RankCosts alone_forward_costs(const Sizes& size) {
  Paper paper;
  local_forward(paper, size, begin_forward(paper, size));
  return paper.costs();
}

RankCosts alone_backward_costs(const Sizes& size, bool keeps_out, index key_gradient_width) {
  Paper paper;
  local_backward(paper, size, keeps_out, begin_backward(paper, size), key_gradient_width);
  return paper.costs();
}

PaperAnswer begin_answer(Paper& paper, const Sizes& size) {
  const auto out = paper.take({{"sum of out", size.answer(size.own(), 4)}});
  return {out, paper.take({{"log_sum_exp", size.statistic(size.own(), 4)}})};
}

Paper::Ticket take_part(Paper& paper, const Sizes& size, index place) {
  const index rows = size.part_rows(place);
  return paper.take({{"part of out", rows * size.shape().value_dim * 4}, {"part of log_sum_exp", rows * 4}});
}

void take_in(Paper& paper, const Sizes& size, index place) { paper.drop(take_part(paper, size, place)); }

PaperAnswer finish(Paper& paper, const Sizes& size, PaperAnswer running) {
  const index own = size.own();
  if (size.log_sum_exp(own) != size.statistic(own, 4)) {
    const auto wider = paper.take({{"log_sum_exp", size.log_sum_exp(own)}});
    paper.drop(std::exchange(running.log_sum_exp, wider));
  }
  const auto out = paper.take({{"out", size.answer(own, size.out())}});
  paper.drop(running.out);
  return {out, running.log_sum_exp};
}

PaperStaying::PaperStaying(Paper& paper, const Sizes& size, bool keeps_out, PaperSaved saved)
    : queries(saved.queries), out(saved.out), delta(paper.take({{"delta", size.statistic(size.own(), 4)}})) {
  if (!keeps_out) paper.drop(out);
  dquery = paper.take({{"sum of dquery", size.query(size.own(), 4)}});
}

void PaperStaying::end(Paper& paper) const {
  for (const auto done : {queries, out, delta}) paper.drop(done);
}

Paper::Ticket share(Paper& paper, const Sizes& size, index place) {
  return paper.take({{"share of dKV", size.keys(place, 4)}});
}

PaperGradients store(Paper& paper, const Sizes& size, Paper::Ticket dquery, Paper::Ticket sums) {
  const index own = size.own(), out = size.out();
  const auto rounded = paper.take({{"dquery", size.query(own, out)}});
  paper.drop(dquery);
  const auto dkey = paper.take({{"dkey", size.key(own, out)}}), dvalue = paper.take({{"dvalue", size.value(own, out)}});
  paper.drop(sums);
  return {rounded, dkey, dvalue};
}

}  // namespace attestone
