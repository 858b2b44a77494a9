// SPDX-License-Identifier: Apache-2.0
// Random problems survive their own text; damaged texts are read, or refused with a caret, and never anything else.
#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

#include "reference/user_error.hpp"
#include "tests/effort.hpp"
#include "tests/reference/any_problem.hpp"

namespace attestone {
namespace {

constexpr std::uint64_t seed = 20;
constexpr index problems = fewer_if_sanitized(100'000);

TEST(ProblemTextFuzz, EveryProblemSurvivesItsText) {
  AnyProblem random(seed);
  for (index i = 0; i < effort(problems / 2, problems); ++i) {
    const Problem problem = random.next();
    const std::string text = problem.text();
    ASSERT_EQ(parse_problem(text), problem) << "problem " << i << " of seed " << seed << ": " << text;
    ASSERT_EQ(parse_problem(text).text(), text);
  }
}

/// Fields in another order, as a user may type them, say the same problem.
TEST(ProblemTextFuzz, TheOrderOfFieldsDoesNotMatter) {
  AnyProblem random(seed + 1);
  std::mt19937_64 order(seed);
  for (index i = 0; i < problems / 10; ++i) {
    const Problem problem = random.next();
    std::istringstream words(problem.text());
    std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    std::shuffle(fields.begin(), fields.end(), order);
    std::string shuffled;
    for (const std::string& field : fields) shuffled += " " + field + " ";
    ASSERT_EQ(parse_problem(shuffled), problem) << shuffled;
  }
}

/// One to three characters deleted, inserted or replaced; mostly by characters that mean something.
std::string damaged(std::string text, std::mt19937_64& random) {
  constexpr std::string_view meaningful = " =x/:+&|~()>,-.0123456789e_an\0\t\n\xff";
  for (std::uint64_t count = 1 + random() % 3; count > 0; --count) {
    const std::size_t place = random() % (text.size() + 1);
    const char c = meaningful[random() % meaningful.size()];
    switch (random() % 3) {
      case 0:
        text.insert(place, 1, c);
        break;
      case 1:
        text.erase(place, 1);
        break;
      default:
        if (place < text.size()) text[place] = c;
    }
  }
  return text;
}

/// Reads the text; true if it is a problem. A refusal shows the text and points into it.
bool reads_or_points(const std::string& text) {
  try {
    const Problem problem = parse_problem(text);
    EXPECT_EQ(parse_problem(problem.text()), problem) << text;
    return true;
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find('^'), std::string::npos) << text << "\n" << error.what();
    return false;
  }
}

TEST(ProblemTextFuzz, DamagedTextsAreReadOrPointedAt) {
  AnyProblem random(seed + 2);
  std::mt19937_64 damage(seed);
  index read = 0;
  const index count = effort(problems / 2, 10 * problems);
  for (index i = 0; i < count && !HasFailure(); ++i) read += reads_or_points(damaged(random.next().text(), damage));
  EXPECT_GT(read, count / 100);        // some damage is none: a digit more, a space more
  EXPECT_LT(read, count - count / 2);  // most is
}

TEST(ProblemTextFuzz, RandomBytesAreNoProblem) {
  std::mt19937_64 random(seed);
  for (index i = 0; i < problems; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    ASSERT_FALSE(reads_or_points(bytes)) << bytes;
  }
}

TEST(ProblemTextFuzz, DamagedLinesWithCommasAreReadOrPointedAt) {
  std::mt19937_64 damage(seed);
  const std::string line =
      "shape=1x1x8x8x4,2x2x0x1x1 mask=full,causal&window:1:2 dtype=f16,bf16+f16:4+f16>f32 "
      "layout=bshd+out/transposed,paged:3 seed=1,2,3";
  for (index i = 0; i < problems / 10; ++i) {
    const std::string text = damaged(line, damage);
    try {
      ASSERT_LE(parse_problems(text).size(), 1000u) << text;
    } catch (const UserError& error) {
      ASSERT_NE(std::string(error.what()).find('^'), std::string::npos) << text << "\n" << error.what();
    }
  }
}

TEST(ProblemTextFuzz, ALineOfTooManyCommasIsRefused) {
  const std::string ten = "1,1,1,1,1,1,1,1,1,1";
  std::string line = "shape=1x1x1x1x1";
  for (const char* field : {" seed=", " lengths=", " query_lengths=", " scale=", " dropout="}) line += field + ten;
  EXPECT_THROW(parse_problems(line + " dtype=f32,f16"), UserError);
}

}  // namespace
}  // namespace attestone
