// SPDX-License-Identifier: Apache-2.0
// A problem survives its own text, and a wrong text is pointed at.
#include "reference/problem/problem.hpp"

#include <gtest/gtest.h>

#include "reference/problem/to_come.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

std::string complaint(std::string_view text) {
  try {
    parse_problem(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ProblemText, PrintsTheCanonicalLine) {
  const char* canonical =
      "shape=2x8/2x10x10x64:32 lengths=7+9 query_lengths=3+4 padding=left spare_rows=8 "
      "mask=(causal|window:128:0)&~causal:top_left score=softcap:30&alibi scale=0.1 dropout=0.25 value=key "
      "dtype=bf16+e4m3:token+e4m3:token>f32 layout=bshd+value/paged:16+dout/transposed fill=capture:a.st:x "
      "pass=forward+backward wants=out+dkey deterministic=0 seed=7";
  EXPECT_EQ(parse_problem(canonical).text(), canonical);
}

TEST(ProblemText, OmitsDefaultsAndAcceptsAnyOrder) {
  EXPECT_EQ(parse_problem("seed=1  dtype=f32>f32 mask=full shape=1x4/4x8x8x4:4").text(), "shape=1x4x8x8x4");
  EXPECT_EQ(parse_problem("dtype=f16+f16+f16 deterministic=1 shape=1x1x8x8x4 spare_rows=0 padding=right").text(),
            "shape=1x1x8x8x4 dtype=f16");
  EXPECT_EQ(parse_problem("shape=1x1x8x8x4 layout=bhsd+dout/bshd+key/bshd wants=log_sum_exp+out").text(),
            "shape=1x1x8x8x4 layout=bhsd+key/bshd+dout/bshd wants=out+log_sum_exp");
}

TEST(Wants, MaxLogitsAreThereOnlyIfAskedFor) {
  Problem problem = parse_problem("shape=1x1x8x8x4 score=sink:head pass=forward+backward");
  EXPECT_FALSE(problem.wanted(TensorName::max_logits));
  EXPECT_TRUE(problem.wants_all());
  problem = parse_problem("shape=1x1x8x8x4 score=sink:head pass=forward+backward wants=max_logits+dquery");
  EXPECT_TRUE(problem.wanted(TensorName::max_logits) && problem.wanted(TensorName::out));
  EXPECT_FALSE(problem.wanted(TensorName::dkey) || problem.wants_all());
  problem.want_all();
  EXPECT_EQ(problem.text(),
            "shape=1x1x8x8x4 score=sink:head pass=forward+backward "
            "wants=out+log_sum_exp+dquery+dkey+dvalue+dsink+max_logits");
  EXPECT_TRUE(problem.wants_all());
  problem.drop_gradients();
  EXPECT_EQ(problem.text(), "shape=1x1x8x8x4 score=sink:head wants=out+log_sum_exp+max_logits");
  EXPECT_TRUE(problem.wants_all());
}

TEST(ProblemText, PointsAtTheMistake) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 mask=casual"),
            "unknown mask 'casual'\n"
            "  shape=1x1x8x8x4 mask=casual\n"
            "                       ^^^^^^\n"
            "did you mean 'causal'?");
  EXPECT_EQ(complaint("shape=1x3/2x8x8x4"),
            "heads (3) is no multiple of kv_heads (2): query heads share kv heads in equal groups\n"
            "  shape=1x3/2x8x8x4\n"
            "        ^^^^^^^^^^^");
}

TEST(ProblemText, PointsAtWrongArgumentsOfMasks) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 mask=causal|dense:101"),
            "the argument of the mask is at most 100\n"
            "  shape=1x1x8x8x4 mask=causal|dense:101\n"
            "                                    ^^^");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 mask=document:0"),
            "the argument of the mask is at least 1\n"
            "  shape=1x1x8x8x4 mask=document:0\n"
            "                                ^");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 mask=needle"),
            "mask 'needle' needs its arguments\n"
            "  shape=1x1x8x8x4 mask=needle\n"
            "                       ^^^^^^\n"
            "write needle:STRIDE");
  for (const char* wrong : {"prefix:-1", "block:0", "needle:0", "dilated:0", "dense:-1", "block:2:3"})
    EXPECT_FALSE(complaint(std::string("shape=1x1x8x8x4 mask=") + wrong).empty()) << wrong;
}

TEST(ProblemText, PointsAtWrongKinds) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=bias:heads"),
            "'heads' is no kind of bias\n"
            "  shape=1x1x8x8x4 score=bias:heads\n"
            "                             ^^^^^\n"
            "known: full head batch pair key");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=sink"),
            "score term 'sink' needs a kind\n"
            "  shape=1x1x8x8x4 score=sink\n"
            "                            ^\n"
            "known: head");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=alibi&bias:full"),
            "'alibi' and 'bias' exclude each other\n"
            "  shape=1x1x8x8x4 score=alibi&bias:full\n"
            "                              ^^^^\n"
            "a problem has one bias; add several up in the tensor of score=bias:full");
}

TEST(ProblemText, PointsAtNumbersThatF32HasNot) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=relative_position:1e39"),
            "the argument of 'relative_position' is beyond f32\n"
            "  shape=1x1x8x8x4 score=relative_position:1e39\n"
            "                                          ^^^^");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=softcap:1e-60"),
            "the argument of 'softcap' is greater than 0\n"
            "  shape=1x1x8x8x4 score=softcap:1e-60\n"
            "                                ^^^^^");
}

TEST(ProblemText, PointsAtALayoutThatTheShapeHasNot) {
  for (const char* shape : {"1x1x8x9x4", "1x1x8x8x4:5"})
    EXPECT_EQ(complaint(std::string("layout=packed_qkv shape=") + shape),
              "layout 'packed_qkv' needs as many queries as keys, and dim = value_dim\n"
              "  layout=packed_qkv shape=" +
                  std::string(shape) +
                  "\n"
                  "         ^^^^^^^^^^\n"
                  "layouts of every shape: bhsd broadcast bshd ragged strided transposed");
  EXPECT_EQ(complaint("layout=packed_qkv shape=2x6/2x8x8x4 lengths=3+0"), "");
}

TEST(ProblemText, PointsAtFormatsThatNeedScales) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 dtype=bf16>int8"),
            "dtype 'int8' needs a scale for each block of elements, and answers have none\n"
            "  shape=1x1x8x8x4 dtype=bf16>int8\n"
            "                             ^^^^\n"
            "write an output of another format, as in >f32: bf16 e4m3 e4m3fnuz e5m2 e5m2fnuz f16 f32 f64");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 dtype=int8"),
            "dtype 'int8' needs a scale for each block of elements\n"
            "  shape=1x1x8x8x4 dtype=int8\n"
            "                        ^^^^\n"
            "say what has one, as in int8:token");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 dtype=int8:token>bf16"), "");
  for (const char* name : {"e2m1", "e2m3", "e3m2", "e8m0", "int4", "uint8"})
    EXPECT_NE(complaint(std::string("shape=1x1x8x8x4 dtype=") + name).find("needs a scale"), std::string::npos) << name;
}

/// The message about a mistake after "shape=1x1x8x8x4 ": "message\n  text\n  carets\nhint".
struct Mistake {
  const char* text;  ///< after the shape
  const char* message;
  std::size_t begin, length;  ///< of the carets, in `text`
  const char* hint = "";
};

std::string shown(const Mistake& mistake) {
  constexpr std::string_view shape = "shape=1x1x8x8x4 ";
  return mistake.message + std::string("\n  ") + std::string(shape) + mistake.text + "\n  " +
         std::string(shape.size() + mistake.begin, ' ') + std::string(mistake.length, '^') +
         (*mistake.hint ? "\n" : "") + mistake.hint;
}

TEST(ProblemText, PointsAtWrongWordsForTensors) {
  for (const Mistake& mistake : std::initializer_list<Mistake>{
           {"dtype=bf16:rows", "a scale belongs to no 'rows'", 11, 4, "known: tensor head token channel"},
           {"dtype=bf16:0", "a block of channels is at least 1", 11, 1},
           {"dtype=bf16+f16", "there is one format for all inputs, or one each for query, key and value", 6, 8,
            "write dtype=bf16, or dtype=bf16+e4m3+e4m3"},
           {"dtype=bf16+f16+bf17>f32", "unknown dtype 'bf17'", 15, 4, "did you mean 'bf16'?"},
           {"layout=paged", "layout 'paged' needs its arguments", 7, 5, "write paged:ROWS"},
           {"layout=paged:0", "the argument of the layout is at least 1", 13, 1},
           {"layout=bhsd:4", "this does not belong to the field 'layout'", 11, 1,
            "blanks stand between fields, commas between several values of one, as in seed=1,2,3"},
           {"layout=bhsd+lse/bshd", "no layout places a tensor 'lse'", 12, 3,
            "known: query key value out dout dquery dkey dvalue"},
           {"layout=bhsd+dot/bshd", "no layout places a tensor 'dot'", 12, 3, "did you mean 'dout'?"},
           {"layout=bhsd+dout", "expected '/' between a tensor and its layout", 16, 1},
           {"layout=bhsd+key/bshd+key/bshd", "the layout of 'key' is given twice", 21, 3},
           {"layout=bhsd+key/ragged", "'ragged' is a layout of all tensors together", 7, 15, "write layout=ragged"},
           {"layout=ragged+key/bshd", "in the layout 'ragged' all tensors lie alike", 7, 15},
           {"layout=bhsd+dkey/broadcast", "elements of dkey share no place, as 'broadcast' would have it", 7, 19}})
    EXPECT_EQ(complaint(std::string("shape=1x1x8x8x4 ") + mistake.text), shown(mistake));
}

TEST(ProblemText, PointsAtWrongWordsForRowsAndAnswers) {
  for (const Mistake& mistake : std::initializer_list<Mistake>{
           {"padding=left", "no sequence is shorter than its place, so there is no padding", 8, 4,
            "add lengths=7+9 or query_lengths=3+4"},
           {"padding=top", "padding stands left or right, not 'top'", 8, 3},
           {"spare_rows=-1", "the number of spare rows is at least 0", 11, 2},
           {"value=query", "V is no view of 'query'", 6, 5, "write value=key, or leave the field out"},
           {"dtype=f32+f16+f32 value=key", "V is part of K, and has another format", 24, 3},
           {"wants=out+dkei", "no kernel answers with 'dkei'", 10, 4, "did you mean 'dkey'?"},
           {"threads=0", "the number of threads is at least 1", 8, 1},
           {"threads=1025", "at most 1024 threads are asked for", 8, 4},
           {"wants=out pass=forward+backward", "the pass has gradients, and none of them is asked for", 6, 3,
            "add dquery, or leave out pass=forward+backward"},
           {"wants=out+out", "'out' is asked for twice", 10, 3},
           {"wants=out+max_logit", "no kernel answers with 'max_logit'", 10, 9, "did you mean 'max_logits'?"},
           {"wants=max_logits pass=forward+backward", "the pass has gradients, and none of them is asked for", 6, 10,
            "add dquery, or leave out pass=forward+backward"},
           {"wants=dquery", "dquery is a gradient, and the pass has none", 6, 6, "add pass=forward+backward"},
           {"wants=dsink pass=forward+backward", "there is no sink, and so no dsink", 6, 5},
           {"wants=dbias pass=forward+backward", "there is no bias tensor, and so no dbias", 6, 5},
           {"deterministic=2", "deterministic is 0 or 1", 14, 1},
           {"deterministic=0", "only gradients may differ from call to call, and nobody asks for them", 14, 1,
            "add pass=forward+backward"}})
    EXPECT_EQ(complaint(std::string("shape=1x1x8x8x4 ") + mistake.text), shown(mistake));
  EXPECT_EQ(complaint("shape=1x1x8x8x4:8 value=key"),
            "K has 4 channels, and V would be the first 8 of them\n"
            "  shape=1x1x8x8x4:8 value=key\n"
            "                          ^^^");
}

/// Behind "shape=1x1x8x8x4:2 lengths=7 " in canonical order, with the field that is pointed at.
TEST(ProblemText, PointsAtWhatIsNotJudgedYet) {
  const std::string head = "shape=1x1x8x8x4:2 lengths=7 ";
  const std::pair<const char*, const char*> fields_and_values[] = {{"padding=left", "left"},
                                                                   {"value=key", "key"},
                                                                   {"dtype=e4m3:token>f32", "e4m3:token>f32"},
                                                                   {"dtype=f16+bf16+bf16", "f16+bf16+bf16"},
                                                                   {"layout=paged:16", "paged:16"}};
  for (const auto& [field, value] : fields_and_values) {
    const Problem problem = parse_problem(head + field);
    EXPECT_EQ(problem.text(), head + field);
    try {
      check_judged(problem);
      ADD_FAILURE() << field;
    } catch (const UserError& error) {
      const std::string text = problem.text();
      const std::string marked = "not judged yet\n  " + text + "\n  " + std::string(text.rfind(value), ' ') +
                                 std::string(std::string_view(value).size(), '^') + "\n";
      EXPECT_NE(std::string(error.what()).find(marked), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(check_judged(parse_problem(
      head +
      "spare_rows=3 mask=tree:4 layout=bshd+dout/sparse pass=forward+backward wants=dkey deterministic=0 threads=3")));
}

TEST(ProblemText, CommasMultiply) {
  EXPECT_EQ(parse_problems("shape=1x1x8x8x4 mask=full,causal dtype=f16,bf16").size(), 4u);
}

}  // namespace
}  // namespace attestone
