// SPDX-License-Identifier: Apache-2.0
// Every mistake on the command line ends with status 2 and one message: what, where, and what to write instead.
#include "tests/conformance/program/command_line.hpp"

#include "tests/conformance/reports/json_of.hpp"

namespace attestone {
namespace {

TEST_F(CommandLine, RefusesWordsThatItHasNoPlaceFor) {
  refuses({"run", flash, "--report=", small}, "--report has an empty value\n  --report=\n");
  refuses({"run", flash, "--suite="}, "write --suite=SUITE");
  refuses({"run", flash, "--suite", ""}, "--suite has an empty value");
  refuses({"run", "--kernel", "--suite=smoke"}, "--kernel has no value: what follows is an option");
  refuses({"run", flash, small, "--format"}, "--format has no value");
  refuses({"run", flash, small, "--fail-fast=yes"}, "--fail-fast takes no value");
  refuses({"run", flash, small, "--seed=1", "--seed=2"}, "--seed is given twice");
  refuses({"run", flash, ""}, "a word of the command line is empty");
  refuses({"run", flash, small, "--siute=x"}, "did you mean '--suite'?");
  refuses({"score", flash}, "it belongs to attestone run");
  refuses({"run", flash, small, "layout=paged:16"}, "tensors of the layout 'paged' are not judged yet");
  refuses({flash, "run"}, "write attestone run --kernel=flash");
  refuses({""}, "empty");
  refuses({"--verison"}, "did you mean '--version'?");
  refuses({"rnu"}, "did you mean 'run'?");
  refuses({"demo", "now"}, "attestone demo takes no 'now'");
  refuses({"list", "masks", "scores"}, "attestone list takes one KIND");
  refuses({"explain"}, "attestone explain lacks its ID");
  refuses({"explain", "valu_bound"}, "did you mean 'value_bound'?");
  refuses({"explain", "something else"}, "attestone list shows the kinds");
  refuses({"completion", "fish"}, "known: bash zsh");
  refuses({"init", "here", "--language=pyhton"}, "--language=pyhton\n             ^^^^^^\n");
  refuses({"help", "rnu"}, "did you mean 'run'?");
}

TEST_F(CommandLine, PointsIntoListsOfNames) {
  refuses({"run", "--kernel=flash,", small}, "--kernel=flash,\n                 ^");
  refuses({"run", "--kernel=,flash", small}, "a name in a list is empty");
  refuses({"run", "--kernel=flsh", small}, "did you mean 'flash'?");
  refuses({"run", "--kernel=lost_tial", small}, "did you mean 'lost_tail'?");
  refuses({"run", "--kernel=lost_tail:block_q=3", small}, "has no settings");
  refuses({"run", "--kernel=./libmine.so", small}, "--plugin=FILE");
  refuses({"run", flash, "--property=guards,value_bond", small},
          "  --property=guards,value_bond\n                    ^^^^^^^^^^");
  refuses({"run", flash, "--except-property=value_bond", small}, "did you mean 'value_bound'?");
  refuses({"run", flash, "--require=casual", small}, "--require=casual\n            ^^^^^^");
  refuses({"run", flash, "--format=jsn", small}, "did you mean 'json'?");
  refuses({"run", flash, "--dtype=f33", small}, "did you mean 'f32'?");
  refuses({"run", flash, "--dtype=bf16", small}, "has problems of f32");
}

TEST_F(CommandLine, DeclaresNumericsThatTheReproRepeats) {
  const std::string declared = "--declare=output_roundoff=0.4 merge.parts=2";
  const ProgramResult result = run({"run", flash, declared, small});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "conforms to what it declares, which is looser than fp32")) << result.out;
  EXPECT_TRUE(contains(result.out, "output_roundoff=0.4 (fp32: ")) << result.out;
  EXPECT_EQ(run({"run", flash, declared, "--require=default_class", small}).status, 1);
  EXPECT_EQ(run({"run", flash, "--require=default_class", small}).status, 0);
  const ProgramResult wrong = run({"run", "--kernel=scale_twice", "--declare=exp_error=1e-6", small});
  EXPECT_EQ(wrong.status, 1) << wrong.err;
  EXPECT_TRUE(contains(wrong.out, "--kernel='scale_twice' --declare='exp_error=1e-6' --property=")) << wrong.out;
  refuses({"run", flash, "--declare=exp_error=1 wieght_roundoff=1", small},
          "\n  exp_error=1 wieght_roundoff=1\n              ^^^^^^^^^^^^^^^\ndid you mean 'weight_roundoff'?");
  refuses({"run", flash, "--declare=merge.form=tree", small}, "^^^^");
}

TEST_F(CommandLine, DeclaresConventionsBesideNumerics) {
  const std::string declared = "--declare=empty_rows=nan exp_error=1e-6", empty = "shape=1x1x4x2x8 mask=causal";
  const ProgramResult result = run({"run", "--kernel=empty_row_nan", declared, empty});
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_TRUE(contains(result.out, "by its own conventions: empty_rows=nan\n")) << result.out;
  EXPECT_EQ(run({"run", "--kernel=empty_row_nan", empty}).status, 1);
  EXPECT_EQ(run({"run", "--kernel=empty_row_nan", declared, "--require=default_conventions", empty}).status, 1);
  const ProgramResult wrong = run({"run", "--kernel=scale_twice", declared, small});
  EXPECT_EQ(wrong.status, 1) << wrong.err;
  EXPECT_TRUE(contains(wrong.out, "does not conform by its own conventions: empty_rows=nan")) << wrong.out;
  EXPECT_TRUE(contains(wrong.out, "--kernel='scale_twice' --declare='empty_rows=nan exp_error=1e-6' --property="))
      << wrong.out;
  refuses({"run", flash, "--declare=exp_error=1 empty_rows=nam", small},
          "\n  exp_error=1 empty_rows=nam\n                         ^^^\ndid you mean 'nan'?");
  refuses({"run", flash, "--declare=empty_row=nan", small}, "did you mean 'empty_rows'?");
  const ProgramResult top_left =
      run({"run", "--kernel=causal_top_left", "--declare=causal=top_left", "shape=1x1x4x9x8 mask=causal"});
  EXPECT_EQ(top_left.status, 0) << top_left.out << top_left.err;
}

TEST_F(CommandLine, HoldsRowsToTheBitsThatAreDeclared) {
  const std::string dense = "--kernel=dense", declared = "--declare=invariant=chunks", problem = "shape=1x2x40x40x16";
  const ProgramResult wrong = run({"run", dense, declared, "--property=chunks_invariant", problem});
  EXPECT_EQ(wrong.status, 1) << wrong.err;
  EXPECT_TRUE(contains(wrong.out, "the bits of a row change when ")) << wrong.out;
  EXPECT_TRUE(contains(wrong.out, "--kernel='dense' --declare='invariant=chunks' --property=chunks_invariant '"))
      << wrong.out;
  EXPECT_TRUE(contains(wrong.out, "  invariant chunks: declared, and judged bit by bit\n")) << wrong.out;
  EXPECT_EQ(run({"run", dense, "--declare=invariant=none", "--property=value_bound", problem}).status, 0);
  const ProgramResult undeclared = run({"run", dense, "--property=chunks_invariant", problem});
  EXPECT_EQ(undeclared.status, 5);
  EXPECT_TRUE(contains(undeclared.out, "does not declare invariant=chunks")) << undeclared.out;
  refuses({"run", dense, "--declare=invariant=batch+chunk", problem},
          "  invariant=batch+chunk\n            ^^^^^^^^^^^");
}

TEST_F(CommandLine, RefusesNumbersThatAreNone) {
  for (const char* seed :
       {"-1", "0x10", "1e3", "18446744073709551616", "99999999999999999999999999", "seven", "1 ", "+1"})
    refuses({"run", flash, small, std::string("--seed=") + seed}, "is no seed\n  --seed=");
  refuses({"run", flash, small, "--seed", "-1"}, "--seed has no value");
  EXPECT_EQ(run({"run", flash, small, "--property=value_bound", "--seed=18446744073709551615"}).status, 0);
  for (const char* budget : {"60", "-1s", "0s", "1e999s", "nans", "infs", "1d", "0x5s"})
    refuses({"run", flash, small, std::string("--budget=") + budget}, "write --budget=60s, 5m or 1h");
  refuses({"run", flash, small, "--memory-limit=9999999999T"}, "is too much");
}

TEST_F(CommandLine, RefusesShapesBeforeTheyTakeMemory) {
  const auto refused = [&](const std::string& shape, const std::string& part) {
    refuses({"run", "--kernel=dense", "shape=" + shape}, part);
  };
  refused("2147483648x1x1x1x8192", "judging dense on this takes at least");
  refused("1x1x2147483648x2147483648x64 dtype=bf16", "2^60 multiply-adds");
  refused("2147483648x2147483648x1x1x1", "2^31 heads");
  refused("2147483648x2147483648x0x0x1", "2^31 heads");
  refused("1x1x2147483648x1x2147483648", "2^44 elements");
  refused("2147483649x1x1x1x1", "batch is at most 2^31");
  refused("1x1x99999999999999999999x1x1", "queries is too large");
  refused("-1x1x1x1x1", "batch is at least 1");
  refused("1x1x1048576x8388608x1 score=bias:full", "judging dense on this takes at least");
}

TEST_F(CommandLine, TakesSeveralProblemsAndWordsOfOne) {
  const ProgramResult two =
      run({"run", flash, "--property=value_bound", "shape=1x1x4x4x4 mask=causal", "shape=1x1x8x8x4"});
  EXPECT_EQ(two.status, 0) << two.err;
  EXPECT_TRUE(contains(two.out, "shape=1x1x4x4x4 mask=causal; shape=1x1x8x8x4")) << two.out;
  EXPECT_TRUE(contains(two.out, "value_bound                    2 ")) << two.out;
  EXPECT_EQ(run({"run", flash, "--property=value_bound", small, "mask=causal"}).status, 0);
  EXPECT_EQ(run({"run", flash, "--property=value_bound", "--", small, "mask=causal"}).status, 0);
  refuses({"run", flash, small, "shape=1x1x8x8x4", "mask=causal"}, "put each problem into quotes");
  refuses({"run", flash, small, "--suite=smoke"}, "not both");
  refuses({"run", flash, small, "--", "--format=json"}, "expected a field");
}

TEST_F(CommandLine, ShowsWhateverBytesInOneShortMessage) {
  refuses({"run", flash, "shape=1x1x4x4x4 m\xff\x01sk=causal"}, "shape=1x1x4x4x4 m??sk=causal");
  refuses({"run", flash, "shape=1x1x4x4x4\nmask=causal"}, "this does not belong to the field 'shape'");
  const ProgramResult result = run({"run", "--kernel=" + std::string(100'000, 'x') + "\x1b[31m\xc2\x9b", small});
  EXPECT_EQ(result.status, 2);
  EXPECT_LT(result.err.size(), 2000u);
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
  EXPECT_EQ(result.err.find("\xc2\x9b"), std::string::npos);
}

TEST_F(CommandLine, ChecksTheThreadsThatAreAskedFor) {
  const auto refused = [&](const std::string& variable, const std::string& part) {
    refuses({"run", flash, "shape=1x1x64x64x64", "--property=value_bound"}, part, {variable});
  };
  refused("OMP_NUM_THREADS=100000", "  OMP_NUM_THREADS=100000\n                  ^^^^^^");
  for (const char* threads : {"0", "-1", "x", "2,0", "99999999999999999999"})
    refused(std::string("OMP_NUM_THREADS=") + threads, "is a number of threads");
  refused("OMP_STACKSIZE=100G", "is a size from 1M to 1G");
  refused("OMP_STACKSIZE=16k", "is a size from 1M to 1G");
  refused("OMP_WAIT_POLICY=sleepy", "is active or passive");
  for (const char* variable : {"OMP_NUM_THREADS=3", "OMP_NUM_THREADS=2,1", "OMP_NUM_THREADS=", "OMP_STACKSIZE=8 M"})
    EXPECT_EQ(run({"run", flash, "shape=1x1x64x64x64", "--property=value_bound"}, {variable}).status, 0) << variable;
}

TEST_F(CommandLine, FiltersProblemsAndProperties) {
  const std::string both = "shape=1x1x4x4x4,1x1x8x8x4 dtype=f32,bf16";
  const ProgramResult bf16 = run({"run", flash, both, "--property=value_bound", "--dtype=bf16"});
  EXPECT_TRUE(contains(bf16.out, "value_bound                    2 ")) << bf16.out;
  const ProgramResult rest =
      run({"run", flash, small, "--except-property=value_bound", "--except-property=guards", "--verbose"});
  EXPECT_TRUE(contains(rest.out, "repeats_bitwise")) << rest.out;
  EXPECT_FALSE(contains(rest.out, "value_bound") || contains(rest.out, "\n  guards")) << rest.out;
  const std::vector<std::string> wrong{"run", "--kernel=lost_tail", "--property=value_bound", "shape=1x2x33x40x16"};
  EXPECT_TRUE(contains(run(wrong).out, "'shape=1x1x1x17x1'"));
  std::vector<std::string> unshrunk = wrong;
  unshrunk.emplace_back("--no-shrink");
  EXPECT_TRUE(contains(run(unshrunk).out, "--property=value_bound 'shape=1x2x33x40x16'"));
}

TEST_F(CommandLine, SaysThatAScoreWasInterrupted) {
  constexpr double a_while_s = 3;
  const ProgramResult score = run_program({{}, {"score"}}, folder.path(), a_while_s);
  EXPECT_TRUE(score.was_stopped);
  EXPECT_EQ(score.status, 6) << score.signal;
  EXPECT_EQ(score.out, "");
  EXPECT_TRUE(contains(score.err, "attestone: interrupted: there are no results")) << score.err;
}

TEST_F(CommandLine, HelpsWithEveryCommand) {
  for (const char* command :
       {"demo", "run", "list", "explain", "score", "answer", "init", "completion", "doctor", "help"}) {
    const ProgramResult help = run({"help", command}), option = run({command, "--help"}), letter = run({command, "-h"});
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_TRUE(contains(help.out, "Example: attestone ")) << help.out;
    EXPECT_EQ(help.out, option.out) << command;
    EXPECT_EQ(help.out, letter.out) << command;
  }
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_TRUE(contains(run({"--help"}).out, "5 nothing ran, 6 cut short")) << "the statuses";
}

/// Drawn when the kernel is there, the same again by the seed that the report names.
TEST_F(CommandLine, DrawsProblemsThatNobodyHasSeen) {
  const std::string only = "--property=value_bound";
  const auto fresh = run({"run", "--kernel=flash", only, "--unseen=5", "--format=json", small});
  ASSERT_EQ(fresh.status, 0) << fresh.err;
  const auto report = json_of(fresh.out);
  const std::string title = report.at("suite"), marker = "--unseen=";
  const std::size_t at = title.find(marker);
  ASSERT_NE(at, std::string::npos) << title;
  const auto again =
      run({"run", "--kernel=flash", only, title.substr(at, title.find(' ', at) - at), "--format=json", small});
  const auto other = run({"run", "--kernel=flash", only, "--unseen=5", "--format=json", small});
  const auto problems = [](const ProgramResult& result) {
    std::vector<std::string> all;
    const auto judged = json_of(result.out);
    for (const auto& each : judged.at("runs").at(0).at("cases")) all.push_back(each.at("problem"));
    return all;
  };
  EXPECT_EQ(problems(fresh).size(), 6u);
  EXPECT_EQ(problems(fresh), problems(again));
  EXPECT_NE(problems(fresh), problems(other));
  for (const char* wrong : {"--unseen=0", "--unseen=many", "--unseen=5:", "--unseen=5:x", "--unseen=1000000000"})
    refuses({"run", "--kernel=flash", small, wrong}, "write --unseen=100");
}

}  // namespace
}  // namespace attestone
