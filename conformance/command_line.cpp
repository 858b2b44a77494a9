// SPDX-License-Identifier: Apache-2.0
// Reading the command line (CLI11 stays in this file), and turning errors into messages and exit statuses.
#include "conformance/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>

#include "conformance/commands/commands.hpp"
#include "conformance/machine.hpp"
#include "conformance/report.hpp"
#include "conformance/views/view.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  attestone demo\n"
    "  attestone run --kernel=flash --suite=smoke\n"
    "  attestone run --plugin=./libmine.so --suite=smoke\n"
    "  attestone run --kernel='flash:block_q=32' 'shape=1x8/2x1000x1000x64 mask=causal dtype=bf16'\n"
    "  attestone explain value_bound\n"
    "\n"
    "Exit status: 0 ok, 1 a kernel does not conform, 2 usage, 3 internal error, 4 regression, 5 nothing ran.";

/// What the command line asks for.
struct Request {
  RunCommand run;
  ScoreCommand score;
  std::string list_kind, explain_id, shell, directory, language = "c++";
};

CLI::App* add_run(CLI::App& app, RunCommand& run) {
  CLI::App* command = app.add_subcommand("run", "Judge kernels on a problem or a suite");
  command->add_option("problem", run.problem, "One problem; commas multiply, as in mask=full,causal")
      ->type_name("PROBLEM");
  command->add_option("--kernel", run.kernels, "NAME[:setting=value...]; several with commas")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("KERNEL");
  command->add_option("--plugin", run.plugins, "A shared library with the C interface; may be given several times")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command->add_option("--program", run.programs, "A program that answers on its standard output, as a line for a shell")
      ->allow_extra_args(false)
      ->type_name("LINE");
  command->add_option("--timeout", run.timeout, "An outside kernel's call may take so long: 60s if nothing is given")
      ->type_name("TIME");
  command
      ->add_option("--memory-limit", run.memory_limit,
                   "An outside kernel's process may take so much: 2G; half of the memory if nothing is given")
      ->type_name("BYTES");
  command->add_option("--suite", run.suite, "A suite's name or a file; smoke if nothing is given")->type_name("SUITE");
  command->add_option("--property", run.properties, "Only these properties; all of them otherwise")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("PROPERTY");
  command->add_option("--require", run.required, "Features that must be covered: a refusal then fails")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("FEATURE");
  command->add_option("--budget", run.budget, "Begin no problem after this time: 60s, 5m, 1h")->type_name("TIME");
  command->add_flag("--fail-fast", run.fail_fast, "Stop at the first failure");
  command->add_option("--seed", run.seed, "This seed for every problem")->type_name("N");
  command->add_option("--report", run.report_directory, "Also write the report to this folder, in every format")
      ->type_name("DIR");
  command
      ->add_option("--format", run.format,
                   fmt::format("The format on standard output: {}", fmt::join(Registry<ReportFormat>::names(), ", ")))
      ->type_name("FORMAT");
  command->footer("Example: attestone run --kernel=flash --suite=ci --require=causal,gqa --report=build/report");
  return command;
}

CLI::App* add_score(CLI::App& app, ScoreCommand& score) {
  CLI::App* command = app.add_subcommand("score", "Which planted bugs each judge catches: ours and other projects'");
  command->add_option("--judge", score.judges, "Only these judges; all of them otherwise")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("JUDGE");
  command->add_option("--mutant", score.mutants, "Only these mutants; all of them otherwise")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("MUTANT");
  command->add_option("--suite", score.suite, "Also this suite alone, with every property: a name or a file")
      ->type_name("SUITE");
  command->add_option("--report", score.report_directory, "Also write every view of the matrix to this folder")
      ->type_name("DIR");
  command
      ->add_option("--format", score.format,
                   fmt::format("The view on standard output: {}", fmt::join(Registry<MatrixView>::names(), ", ")))
      ->type_name("VIEW");
  command->footer("Example: attestone score --judge=pytorch_sdpa --mutant=no_delta,lost_tail --suite=smoke");
  return command;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

CommandLineDescription described(const CLI::App& app) {
  CommandLineDescription description;
  description.commands = subcommand_names(app);
  const auto add = [&](const CLI::App& command, const std::string& name) {
    for (const CLI::Option* option : command.get_options()) {
      const bool takes_value = option->get_items_expected_max() > 0;
      description.values.push_back(
          {name, option->nonpositional() ? option->get_name() : "", takes_value ? option->get_type_name() : ""});
    }
  };
  add(app, "");
  for (const std::string& name : description.commands) add(*app.get_subcommand(name), name);
  return description;
}

/// CLI11 knows that something is unknown; we know what was meant.
[[noreturn]] void throw_user_error(const CLI::App& app, const CLI::ParseError& error, int argc,
                                   const char* const* argv) {
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty())
    throw UserError(fmt::format("unknown command '{}'", argv[1]), did_you_mean(argv[1], subcommand_names(app)));
  for (const CLI::App* command : app.get_subcommands()) {
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options()) options.push_back(option->get_name());
    for (const std::string& extra : command->remaining())
      throw UserError(
          fmt::format("attestone {} has no option '{}'", command->get_name(), extra.substr(0, extra.find('='))),
          did_you_mean(extra.substr(0, extra.find('=')), options));
  }
  throw UserError(error.what(), "attestone --help shows what there is");
}

ExitStatus dispatch(int argc, const char* const* argv) {
  CLI::App app("attestone judges whether an attention kernel is right.", "attestone");
  app.footer(examples);
  app.set_version_flag("--version", version());
  Request request;
  const CLI::App* demo = app.add_subcommand("demo", "A right and a wrong kernel, judged in seconds");
  const CLI::App* run = add_run(app, request.run);
  CLI::App* list = app.add_subcommand("list", "What there is: kernels, masks, properties, ...");
  list->add_option("kind", request.list_kind, "One kind; the kinds if nothing is given")->type_name("KIND");
  CLI::App* explain = app.add_subcommand("explain", "What a name or the reason of a verdict means");
  explain->add_option("id", request.explain_id, "As in: attestone explain wrong-number")->required()->type_name("ID");
  const CLI::App* score = add_score(app, request.score);
  CLI::App* init = app.add_subcommand("init", "A new directory with a right and a wrong kernel, ready to be judged");
  init->add_option("directory", request.directory, "Where; nothing there is overwritten")->required()->type_name("DIR");
  init->add_option("--language", request.language, "c++, cuda or python; c++ if nothing is given")
      ->type_name("LANGUAGE");
  init->footer("Example: attestone init my_kernel --language=c++");
  CLI::App* completion = app.add_subcommand("completion", "A script that completes this command line");
  completion->add_option("shell", request.shell, "bash or zsh")->required()->type_name("SHELL");
  completion->footer("Example: eval \"$(attestone completion bash)\" in .bashrc, or zsh in .zshrc after compinit");
  const CLI::App* doctor = app.add_subcommand("doctor", "This machine and this build, for bug reports");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    app.exit(help);
    return ExitStatus::ok;
  } catch (const CLI::ParseError& error) {
    throw_user_error(app, error, argc, argv);
  }
  if (*demo) return demo_command();
  if (*run) return run_command(request.run);
  if (*list) return list_command(request.list_kind);
  if (*explain) return explain_command(request.explain_id);
  if (*score) return score_command(request.score);
  if (*init) return init_command(request.directory, request.language);
  if (*completion) return completion_command(request.shell, described(app));
  if (*doctor) return doctor_command();
  fmt::print("{}", app.help());
  return ExitStatus::ok;
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  try {
    return static_cast<int>(dispatch(argc, argv));
  } catch (const UserError& error) {
    fmt::print(stderr, "attestone: {}\n", error.what());
    return static_cast<int>(ExitStatus::usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "attestone: internal error: {}\nPlease report this with the output of attestone doctor.\n",
               error.what());
    return static_cast<int>(ExitStatus::internal_error);
  }
}

}  // namespace attestone
