// SPDX-License-Identifier: Apache-2.0
// Completion as a shell does it: the script is run by that shell, and asked what it offers for the beginnings of lines.
#include <algorithm>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sstream>
#include <vector>

#include "backends/catalogue.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/properties/property.hpp"
#include "reference/problem/problem.hpp"
#include "reference/problem/to_come.hpp"
#include "reference/registry.hpp"
#include "tests/places.hpp"
#include "tests/shell.hpp"

namespace attestone {
namespace {

/// The words that the shell offers for each line, as "this;that;".
std::vector<std::string> offered(const std::string& name, const std::vector<std::string>& lines) {
  const std::string script = source_folder() + "/tests/conformance/program/completion." + name;
  const std::string options = name == "zsh" ? " -f" : " --norc";
  const ShellOutput output =
      shell(fmt::format("{}{} '{}' 2>&1 <<'END'\n{}\nEND", name, options, script, fmt::join(lines, "\n")));
  std::istringstream text(output.text);
  std::vector<std::string> all;
  for (std::string line; std::getline(text, line);) all.push_back(line);
  EXPECT_EQ(all.size(), lines.size()) << output.text;
  all.resize(lines.size());
  return all;
}

bool installed(const char* program) { return shell(fmt::format("command -v {} >/dev/null", program)).status == 0; }

/// All names as the shell offers them, each between `before` and `after`.
template <class Names>
std::string joined(const Names& names, const std::string& before = "", const std::string& after = "") {
  std::string all;
  for (const auto& name : names) all += before + name + after + ";";
  return all;
}

TEST(Completion, OffersWhatReadlineReplaces) {
  const std::pair<const char*, const char*> lines_and_offers[] = {
      {"attestone ru", "run;"},
      {"attestone --v", "--version;"},
      {"attestone run --p", "--plugin=;--program=;--property=;"},
      {"attestone run --kernel=flas", "flash;flash3_fp8;flash4;flash4_nan_rows_are_empty;flash4_nan_vanishes;"},
      {"attestone run --kernel flas", "flash;flash3_fp8;flash4;flash4_nan_rows_are_empty;flash4_nan_vanishes;"},
      {"attestone run --kernel='flas", "flash;flash3_fp8;flash4;flash4_nan_rows_are_empty;flash4_nan_vanishes;"},
      {"attestone run --kernel=dense,lost_t", "dense,lost_tail;"},
      {"attestone run --kernel=flash:block_q_", "block_q_dkv=;block_q_dq=;"},
      {"attestone run --kernel=flash:block_q=32:work", "workers=;"},
      {"attestone run --require=causal,gq", "causal,gqa;"},
      {"attestone run --format=js", "json;"},
      {"attestone run --report=somewhere", ";"},
      {"attestone run sha", "shape=;"},
      {"attestone run mask=wi", "window:;"},
      {"attestone run mask=causal:", "top_left;"},
      {"attestone run 'shape=1x1x8x8x4 mask=~(window:2:0|causal:t",
       "shape=1x1x8x8x4 mask=~(window:2:0|causal:top_left;"},
      {"attestone run 'shape=1x1x8x8x4 mask=full,caus",
       "shape=1x1x8x8x4 mask=full,causal;shape=1x1x8x8x4 mask=full,causal:top_left;"},
      {"attestone run 'mask=~caus", "mask=~causal;mask=~causal:top_left;"},
      {"attestone run 'score=softcap:30&ali", "score=softcap:30&alibi;"},
      {"attestone run 'score=sink:", "score=sink:head;"},
      {"attestone run 'dtype=bf16>bf", "dtype=bf16>bf16;"},
      {"attestone run pass=", "forward+backward;"},
      {"attestone run 'dtype=bf16+bf", "dtype=bf16+bf16;"},
      {"attestone run 'dtype=bf16:to", "dtype=bf16:token;"},
      {"attestone run layout=pag", "paged:;"},
      {"attestone run 'layout=bhsd+do", "layout=bhsd+dout/;"},
      {"attestone run layout=bhsd+dout/transposed+k", "bhsd+dout/transposed+key/;"},
      {"attestone run 'layout=bhsd+dout/trans", "layout=bhsd+dout/transposed;"},
      {"attestone run 'wants=out+dk", "wants=out+dkey;"},
      {"attestone run mask=block_", "block_causal:;"},
      {"attestone run --mesh=ulysses:2+ri", "2+ring:;"},
      {"attestone run --faults=dr", "drop;"},
      {"attestone run --world=", "mpi;simulated;"},
      {"attestone explain wrong-n", "wrong-non-finite;wrong-number;"},
      {"attestone list pro", "properties;"},
      {"attestone completion ", "bash;zsh;"},
      {"attestone run xyz", ";"},
  };
  std::vector<std::string> lines;
  for (const auto& [line, offer] : lines_and_offers) lines.emplace_back(line);
  const auto offers = offered("bash", lines);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(offers[i], lines_and_offers[i].second) << lines[i];
}

TEST(Completion, OffersEverythingThatIsRegistered) {
  std::vector<std::string> suites, fields;
  for (const Suite& suite : builtin_suites()) suites.emplace_back(suite.name);
  for (const FieldHelp& field : problem_fields()) fields.emplace_back(field.name);
  std::sort(fields.begin(), fields.end());
  const auto offers = offered("bash", {"attestone run --property=", "attestone run dtype=", "attestone run layout=",
                                       "attestone run --suite=", "attestone run ", "attestone run --kernel="});
  EXPECT_EQ(offers[0], joined(Registry<Property>::names()));
  EXPECT_EQ(offers[1], joined(Registry<DType>::names()));
  std::vector<std::string> layouts = Registry<Layout>::names();
  for (const LayoutToCome& later : layouts_to_come())
    layouts.push_back(std::string(later.name) + (later.argument_count > 0 ? ":" : ""));
  std::sort(layouts.begin(), layouts.end());
  EXPECT_EQ(offers[2], joined(layouts));
  EXPECT_EQ(offers[3], joined(suites));
  EXPECT_EQ(offers[4], joined(fields, "", "="));
  for (const std::string& kernel : Registry<KernelEntry>::names())
    EXPECT_NE((";" + offers[5]).find(";" + kernel + ";"), std::string::npos) << kernel;
}

TEST(Completion, OffersTheSameInZsh) {
  ASSERT_TRUE(installed("zsh")) << "zsh is missing, which ./run test installs";
  const auto offers =
      offered("zsh", {"attestone ru", "attestone run --kernel=flash:block_q=32:work", "attestone run --p",
                      "attestone run 'shape=1x1x8x8x4 mask=full&wi'", "attestone list ma"});
  EXPECT_EQ(offers[0], "run;");
  EXPECT_EQ(offers[1], "--kernel=flash:block_q=32:workers=;");
  EXPECT_EQ(offers[2], "--plugin=;--program=;--property=;");
  EXPECT_EQ(offers[3], "shape=1x1x8x8x4 mask=full&window:;");
  EXPECT_EQ(offers[4], "masks;matrix_formats;");
}

TEST(Completion, KnowsBashAndZshOnly) {
  EXPECT_EQ(shell("attestone completion zsh | tail -1").text, "compdef _attestone attestone\n");
  const ShellOutput output = shell("attestone completion bsh 2>&1");
  EXPECT_EQ(output.status, 2);
  EXPECT_NE(output.text.find("did you mean 'bash'?"), std::string::npos) << output.text;
}

}  // namespace
}  // namespace attestone
