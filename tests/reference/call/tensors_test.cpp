// SPDX-License-Identifier: Apache-2.0
// The tensors of a problem have the rows that its layout and lengths give them.
#include "reference/call/tensors.hpp"

#include <gtest/gtest.h>

#include "reference/problem/problem.hpp"

namespace attestone {
namespace {

TEST(Tensors, RaggedOnesHoldRealRowsOnly) {
  const Problem problem =
      parse_problem("shape=3x4/2x5x7x6:3 lengths=7+0+2 query_lengths=0+1+5 layout=ragged pass=forward+backward");
  const Inputs inputs(problem);
  const Outputs outputs(problem);
  const Gradients gradients(problem);
  constexpr std::size_t queries = 6, keys = 9, heads = 4, kv_heads = 2, bytes = 4;
  EXPECT_EQ(inputs.query.bytes().size(), queries * heads * 6 * bytes);
  EXPECT_EQ(inputs.key.bytes().size(), keys * kv_heads * 6 * bytes);
  EXPECT_EQ(inputs.value.bytes().size(), keys * kv_heads * 3 * bytes);
  EXPECT_EQ(inputs.dout->bytes().size(), queries * heads * 3 * bytes);
  EXPECT_EQ(outputs.out.bytes().size(), queries * heads * 3 * bytes);
  EXPECT_EQ(outputs.log_sum_exp.bytes().size(), queries * heads * bytes);
  EXPECT_EQ(gradients.key.view().rows(2), 2);
  EXPECT_EQ(gradients.query.view().rows(2), 5);
}

TEST(Tensors, RaggedSequencesWithoutLengthsAreFull) {
  const Inputs inputs(parse_problem("shape=2x3x4x5x6 layout=ragged"));
  EXPECT_EQ(inputs.query.view().rows(1), 4);
  EXPECT_EQ(inputs.key.view().rows(0), 5);
  EXPECT_EQ(inputs.key.bytes().size(), 2u * 3 * 5 * 6 * 4);
}

TEST(Tensors, EveryGradientHasAPlaceOfItsOwn) {
  const Problem problem = parse_problem("shape=1x4x3x3x2 layout=broadcast pass=forward+backward");
  const Inputs inputs(problem);
  const Gradients gradients(problem);
  EXPECT_EQ(inputs.key.view().strides()[1], 0);
  EXPECT_EQ(gradients.key.view().strides(), (Strides{24, 6, 2, 1}));
  EXPECT_EQ(gradients.value.view().strides(), (Strides{24, 6, 2, 1}));
}

TEST(Tensors, GapsOfThePackedBufferAreGuarded) {
  Inputs inputs(parse_problem("shape=1x2x3x3x2 layout=packed_qkv"));
  EXPECT_EQ(inputs.key.view().strides(), (Strides{36, 2, 12, 1}));
  // Behind the two heads of row 0 stand the keys of that row, in another tensor.
  inputs.query.bytes()[4 * sizeof(float)] ^= std::byte{1};
  EXPECT_FALSE(inputs.query.guards_intact());
  EXPECT_TRUE(inputs.key.guards_intact());
}

TEST(Tensors, LieEachInALayoutOfItsOwn) {
  const Problem problem = parse_problem(
      "shape=1x2x3x4x5:6 layout=bshd+key/transposed+value/broadcast+out/bhsd+dquery/strided pass=forward+backward");
  const Inputs inputs(problem);
  const Outputs outputs(problem);
  const Gradients gradients(problem);
  EXPECT_EQ(inputs.query.view().strides(), (Strides{30, 5, 10, 1}));
  EXPECT_EQ(inputs.key.view().strides(), (Strides{40, 20, 1, 4}));
  EXPECT_EQ(inputs.value.view().strides(), (Strides{24, 0, 6, 1}));
  EXPECT_EQ(outputs.out.view().strides(), (Strides{36, 18, 6, 1}));
  EXPECT_EQ(inputs.dout->view().strides(), outputs.out.view().strides());
  EXPECT_EQ(gradients.query.view().strides(), (Strides{65, 29, 8, 1}));
  EXPECT_EQ(gradients.key.view().strides(), inputs.key.view().strides());
  EXPECT_EQ(gradients.value.view().strides(), (Strides{48, 24, 6, 1}));  // a place for every element
  EXPECT_TRUE(shares_places(problem));
  EXPECT_FALSE(shares_places(parse_problem("shape=1x2x3x4x5 layout=broadcast+key/bhsd+value/strided")));
}

TEST(Tensors, SpareRowsAreGuarded) {
  for (const char* layout : {"bhsd", "bshd", "strided", "transposed"}) {
    const Problem problem = parse_problem(std::string("shape=2x2x3x4x5 spare_rows=2 layout=") + layout);
    Inputs inputs(problem);
    const View key = inputs.key.view();
    EXPECT_EQ(key.extents()[2], 4);
    *(key.at(0, 0, 3, 0) + key.dtype().bytes(key.strides()[2])) ^= std::byte{1};  // row 4, the first spare one
    EXPECT_FALSE(inputs.key.guards_intact()) << layout;
    EXPECT_TRUE(inputs.value.guards_intact()) << layout;
  }
  EXPECT_EQ(Inputs(parse_problem("shape=2x2x3x4x5 spare_rows=2")).key.view().strides(), (Strides{60, 30, 5, 1}));
}

}  // namespace
}  // namespace attestone
