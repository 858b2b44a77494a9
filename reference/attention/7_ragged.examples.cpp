// SPDX-License-Identifier: Apache-2.0
// Step 7 of the ladder in examples: a ragged batch is a loop over its sequences.
#include "reference/attention/7_ragged.hpp"

#include "reference/attention/worked_example.hpp"

namespace attestone {
namespace {

/// Three sequences of 2, 0 and 1 queries and 2, 1 and 1 keys, behind each other. Every query is 0, so that keys weigh
/// the same.
struct ThreeSequences {
  explicit ThreeSequences(double other_value)
      : problem(parse_problem(
            "shape=3x1x2x2x1 lengths=2+1+1 query_lengths=2+0+1 mask=causal scale=1 dtype=f64 layout=ragged")),
        inputs(problem) {
    write(inputs.query.view(), {{0}, {0}}, 0);
    write(inputs.query.view(), {{0}}, 2);
    for (const index batch : {0, 1, 2}) write(inputs.key.view(), batch == 0 ? Numbers{{1}, {2}} : Numbers{{1}}, batch);
    write(inputs.value.view(), {{4}, {6}}, 0);
    write(inputs.value.view(), {{other_value}}, 1);
    write(inputs.value.view(), {{9}}, 2);
  }
  RaggedAnswer answer() const { return ragged_attention(problem, inputs); }

  Problem problem;
  Inputs inputs;
};

TEST_CASE("sequence b has the rows starts[b] to starts[b + 1]; one without queries has none") {
  CHECK(ThreeSequences(100).answer().starts == RowStarts{0, 2, 2, 3});
}

TEST_CASE("every query sees the keys of its own sequence, aligned by that sequence's lengths") {
  const RaggedAnswer answer = ThreeSequences(100).answer();
  CHECK(answer.out(0, 0, 0)[0] == 4);
  CHECK(answer.out(0, 0, 1)[0] == 5);
  CHECK(answer.out(0, 0, 2)[0] == 9);
}

TEST_CASE("a neighbour changes nothing, whatever it holds") {
  const RaggedAnswer nan = ThreeSequences(std::numeric_limits<double>::quiet_NaN()).answer();
  CHECK(nan.out.all() == ThreeSequences(100).answer().out.all());
}

}  // namespace
}  // namespace attestone
