// SPDX-License-Identifier: Apache-2.0
// The examples of kernels and methods leave nothing out: every setting is moved, and every word is used.
#include <gtest/gtest.h>
#include <set>

#include "backends/catalogue.hpp"
#include "backends/distributed/method/rank_program.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// The values that some example gives to a setting.
std::set<std::string> values_in(const std::vector<std::string>& examples, std::string_view setting) {
  std::set<std::string> values;
  for (const std::string& example : examples) {
    const std::string text = ":" + example + ":", begin = ":" + std::string(setting) + "=";
    const std::size_t at = text.find(begin);
    if (at == std::string::npos) continue;
    const std::size_t first = at + begin.size();
    values.insert(text.substr(first, text.find(':', first) - first));
  }
  return values;
}

/// The settings and words that no example has.
template <class Entry>
std::vector<std::string> left_out(const Entry& entry) {
  std::vector<std::string> missing;
  for (const Setting& setting : entry.settings) {
    std::set<std::string> values = values_in(entry.examples, setting.name);
    if (values.empty()) missing.emplace_back(setting.name);
    values.emplace(setting.fallback);
    for (const std::string& word : setting.values.words)
      if (!values.contains(word)) missing.push_back(std::string(setting.name) + "=" + word);
  }
  return missing;
}

TEST(Examples, MoveEverySettingAndUseEveryWord) {
  for (const auto& [name, entry] : Registry<KernelEntry>::all())
    EXPECT_EQ(left_out(entry), std::vector<std::string>{}) << name;
  for (const auto& [name, entry] : Registry<RankProgramEntry>::all())
    EXPECT_EQ(left_out(entry), std::vector<std::string>{}) << name;
}

TEST(Examples, AreMissedWhereTheyAreMissing) {
  const KernelEntry entry{
      .name = "made_up",
      .summary = "",
      .settings = {{"rows", "1", integers_from(1), ""}, {"merge", "none", one_of({"none", "late", "early"}), ""}},
      .examples = {"merge=late"},
      .make = nullptr};
  EXPECT_EQ(left_out(entry), (std::vector<std::string>{"rows", "merge=early"}));
}

TEST(Examples, StandAsKernelsPrintThem) {
  for (const auto& [name, entry] : Registry<KernelEntry>::all())
    for (const std::string& text : with_examples(name, entry.examples)) EXPECT_EQ(make_kernel(text)->name(), text);
  for (const auto& [name, entry] : Registry<RankProgramEntry>::all())
    for (const std::string& text : with_examples(name, entry.examples))
      EXPECT_EQ(make_rank_program(text)->name(), text);
}

/// "sage_qk_int8_pv_fp16_triton", "flash:block_q=7:block_kv=33": what false alarms are looked for on.
TEST(Examples, OfEveryKernelAreExampleKernels) {
  std::set<std::string> names;
  for (const SharedKernel& kernel : example_kernels())
    EXPECT_TRUE(names.insert(kernel->name()).second) << kernel->name();
  for (const std::string& name : Registry<KernelEntry>::names()) EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace attestone
