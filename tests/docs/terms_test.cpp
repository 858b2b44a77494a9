// SPDX-License-Identifier: Apache-2.0
// The words of docs/terms.md are sixty or more, in alphabetical order, a sentence each, and the types that they name
// are defined in the headers that they name.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/places.hpp"

namespace attestone {
namespace {

using Complaints = std::vector<std::string>;

/// A type, and the header that should define it.
struct NamedType {
  std::string name, header;
};

/// One line of the page: "* **word**: explanation (`Type`, `header`)."
struct Term {
  std::string word, explanation;

  std::vector<NamedType> types() const {
    static const std::regex named("`(\\w+)`, `([^`]+\\.(?:hpp|h))`");
    std::vector<NamedType> all;
    for (std::sregex_iterator at(explanation.begin(), explanation.end(), named), end; at != end; ++at)
      all.push_back({(*at)[1], (*at)[2]});
    return all;
  }
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Term> terms_of(const std::string& page) {
  static const std::regex line("(?:^|\n)\\* \\*\\*([^*]+)\\*\\*: ([^\n]*)");
  std::vector<Term> all;
  for (std::sregex_iterator at(page.begin(), page.end(), line), end; at != end; ++at)
    all.push_back({(*at)[1], (*at)[2]});
  return all;
}

std::string lower(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return word;
}

bool defines(const std::string& header, const std::string& type) {
  return std::regex_search(header, std::regex("(?:class|struct|enum|using) (?:\\[\\[\\w+\\]\\] )?" + type +
                                              "(?: final)?(?: :[^;{]*)?(?: \\{| =)"));
}

/// Complaints about one term.
Complaints about(const Term& term) {
  Complaints all;
  if (!term.explanation.ends_with('.') || term.explanation.find(". ") != std::string::npos)
    all.push_back(term.word + " is not explained in one sentence");
  for (const NamedType& type : term.types()) {
    const std::filesystem::path header = std::filesystem::path(source_folder()) / type.header;
    if (!std::filesystem::exists(header))
      all.push_back(term.word + " names " + type.header + ", which does not exist");
    else if (!defines(text_of(header), type.name))
      all.push_back(term.word + " names " + type.name + ", which " + type.header + " does not define");
  }
  return all;
}

Complaints about(const std::vector<Term>& terms) {
  Complaints all;
  for (const Term& term : terms) std::ranges::copy(about(term), std::back_inserter(all));
  for (std::size_t i = 1; i < terms.size(); ++i)
    if (lower(terms[i].word) <= lower(terms[i - 1].word))
      all.push_back(terms[i].word + " should come before " + terms[i - 1].word);
  return all;
}

TEST(Terms, NameTypesThatExistInAlphabeticalOrder) {
  const std::vector<Term> terms = terms_of(text_of(std::filesystem::path(source_folder()) / "docs/terms.md"));
  EXPECT_GE(terms.size(), 60u);
  EXPECT_EQ(about(terms), Complaints{});
  const auto tied = std::ranges::count_if(terms, [](const Term& term) { return !term.types().empty(); });
  EXPECT_GE(tied, 60) << "terms that name a type";
}

TEST(Terms, WithAMistakeAreNoticed) {
  const auto complaints = [](const std::string& lines) { return about(terms_of("# Terms\n\n" + lines)); };
  const std::string problem = "* **problem**: a line (`Problem`, `reference/problem/problem.hpp`).\n";
  EXPECT_EQ(complaints(problem), Complaints{});
  EXPECT_EQ(complaints("* **rank**: a device.\n" + problem), Complaints{"problem should come before rank"});
  EXPECT_EQ(complaints("* **Problem**: a line.\n" + problem), Complaints{"problem should come before Problem"});
  EXPECT_EQ(complaints("* **problem**: a line. Another sentence.\n"),
            Complaints{"problem is not explained in one sentence"});
  EXPECT_EQ(complaints("* **problem**: a line (`Problem`, `reference/problem.hpp`).\n"),
            Complaints{"problem names reference/problem.hpp, which does not exist"});
  EXPECT_EQ(complaints("* **problem**: a line (`Question`, `reference/problem/problem.hpp`).\n"),
            Complaints{"problem names Question, which reference/problem/problem.hpp does not define"});
}

}  // namespace
}  // namespace attestone
