// SPDX-License-Identifier: Apache-2.0
// The commands and their options, their help (CLI11 stays in this file), and what becomes of the words.
#include "conformance/program/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cctype>
#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <string>

#include "conformance/bench/formats/bench_format.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/program/ending.hpp"
#include "conformance/program/machine.hpp"
#include "conformance/program/words.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/rival_rules/formats/matrix_format.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/floating_point_environment.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  attestone demo\n"
    "  attestone run --kernel=flash --suite=smoke\n"
    "  attestone run --plugin=./libmine.so --suite=smoke\n"
    "  attestone run --kernel='flash:block_q=32' 'shape=1x8/2x1000x1000x64 mask=causal dtype=bf16'\n"
    "  attestone explain value_bound\n"
    "  attestone help run\n"
    "\n"
    "Exit status: 0 ok, 1 a kernel does not conform, 2 usage, 3 internal error, or something that the machine denied,\n"
    "5 nothing ran, 6 cut short.";

/// The words of the command line, by command.
struct Given {
  RunWords run;
  ScoreWords score;
  BenchWords bench;
  std::string list_kind, explain_id, answering, shell, directory, language = "c++", help_about;
};

/// One command: what it takes is described to CLI11, which writes the help, and read into variables.
class Command {
 public:
  Command(CLI::App& app, const std::string& name, const std::string& summary, const std::string& example)
      : app_(*app.add_subcommand(name, summary)), name_(name) {
    app_.footer("Example: attestone " + example);
  }

  Command& option(const std::string& name, const std::string& type, std::string& value, const std::string& help) {
    return add({name_, name, type, false, false}, help, [&value](const std::string& text) { value = text; });
  }
  /// An option that may be given several times.
  Command& list(const std::string& name, const std::string& type, std::vector<std::string>& values,
                const std::string& help) {
    return add({name_, name, type, true, false}, help, [&values](const std::string& text) { values.push_back(text); });
  }
  Command& flag(const std::string& name, bool& value, const std::string& help) {
    return add({name_, name, "", false, false}, help, [&value](const std::string&) { value = true; });
  }
  /// A value without an option's name.
  Command& place(const std::string& type, std::string& value, const std::string& help, bool required = true) {
    return add({name_, "", type, false, required}, help, [&value](const std::string& text) { value = text; });
  }
  Command& places(const std::string& type, std::vector<std::string>& values, const std::string& help) {
    return add({name_, "", type, true, false}, help, [&values](const std::string& text) { values.push_back(text); });
  }
  /// Sets the function that runs the command once its words are read.
  void runs(std::function<ExitStatus()> run) { run_ = std::move(run); }

  ExitStatus run(const CommandWords& words) const {
    for (const auto& [option, text] : words.given) takers_.at(option)(text);
    return run_();
  }
  const std::string& name() const { return name_; }
  const std::vector<CommandLineDescription::Value>& values() const { return values_; }
  std::string help() const { return app_.help("attestone"); }

 private:
  Command& add(const CommandLineDescription::Value& value, const std::string& help,
               std::function<void(const std::string&)> take) {
    std::string name = value.option;
    for (const char c : value.option.empty() ? value.type : "") name += static_cast<char>(std::tolower(c));
    if (value.type.empty())
      app_.add_flag(name, help);
    else
      app_.add_option(name, help)->type_name(value.type)->required(value.required);
    takers_.emplace(value.option, std::move(take));
    values_.push_back(value);
    return *this;
  }

  CLI::App& app_;
  std::string name_;
  std::vector<CommandLineDescription::Value> values_;
  std::map<std::string, std::function<void(const std::string&)>> takers_;
  std::function<ExitStatus()> run_;
};

void describe_run(Command& command, RunWords& run) {
  command.places("PROBLEM", run.problem, "A problem; commas multiply, as in mask=full,causal")
      .list("--kernel", "KERNEL", run.kernels, "NAME[:setting=value...]; several with commas")
      .list("--plugin", "FILE", run.plugins, "A shared library with the C interface; may be given several times")
      .list("--program", "LINE", run.programs, "A program that answers on its standard output, as a line for a shell")
      .list("--rank-program", "LINE", run.rank_programs,
            "A distributed method: a program that each device of a mesh runs, as a line for a shell")
      .option("--timeout", "TIME", run.timeout, "An outside kernel's call may take so long: 60s if nothing is given")
      .option("--memory-limit", "BYTES", run.memory_limit,
              "An outside kernel's process may take so much: 2G; half of the memory if nothing is given")
      .option("--declare", "DECLARATION", run.declared,
              "Arithmetic and conventions that the kernels are held to, over what they declare, as in 'exp_error=1e-6 "
              "empty_rows=nan'; 'invariant=batch+chunks' holds the bits of rows to be independent of their schedule")
      .option("--suite", "SUITE", run.suite, "A suite's name or a file; smoke if nothing is given")
      .list("--dtype", "DTYPE", run.dtypes, "Only problems whose inputs are of these formats")
      .list("--property", "PROPERTY", run.properties, "Only these properties; all of them otherwise")
      .list("--except-property", "PROPERTY", run.excluded, "All properties but these")
      .list("--require", "FEATURE", run.required, "Features that must be covered: a refusal then fails")
      .option("--budget", "TIME", run.budget, "End the run after this time: 60s, 5m, 1h")
      .flag("--allow-incomplete", run.allow_incomplete, "A run that was cut short may still end with 0")
      .flag("--fail-fast", run.fail_fast, "Stop at the first failure")
      .flag("--no-shrink", run.no_shrink, "Show the first problem that failed, not the least")
      .flag("--verbose", run.verbose,
            "Every property, fill, feature and refusal in the text report, also of what conforms")
      .option("--seed", "N", run.seed, "This seed for every problem")
      .option("--unseen", "N[:SEED]", run.unseen,
              "So many random problems more, drawn when the kernels are loaded; the report names their seed")
      .option("--mesh", "MESH", run.mesh,
              "Devices for a distributed method, as in ulysses:2+ring:2; several that "
              "show it if nothing is given")
      .option("--local", "KERNEL", run.local,
              "What each device runs; flash, or the outside kernel, if nothing is given")
      .option("--world", "WORLD", run.world,
              "What the devices are: simulated, or mpi, real processes; simulated if nothing is given")
      .option("--faults", "FAULTS", run.faults, "What goes wrong between the devices, as in delay+drop:3")
      .option("--world-seed", "N", run.world_seed, "From which every order of events on the devices follows")
      .option("--report", "DIR", run.report_directory, "Also write the report to this folder, in every format")
      .option("--format", "FORMAT", run.format,
              fmt::format("The format on standard output: {}", fmt::join(Registry<ReportFormat>::names(), ", ")))
      .runs([&run] { return run_command(read_run_request(run)); });
}

void describe_score(Command& command, ScoreWords& score) {
  command.list("--judge", "JUDGE", score.judges, "Only these judges; all of them otherwise")
      .list("--mutant", "MUTANT", score.mutants, "Only these mutants; all of them otherwise")
      .option("--suite", "SUITE", score.suite, "Also this suite alone, with every property: a name or a file")
      .option("--report", "DIR", score.report_directory, "Also write the matrix to this folder, in every format")
      .option("--format", "MATRIX_FORMAT", score.format,
              fmt::format("The format on standard output: {}", fmt::join(Registry<MatrixFormat>::names(), ", ")))
      .runs([&score] { return score_command(read_score_request(score)); });
}

void describe_bench(Command& command, BenchWords& bench) {
  command.places("PROBLEM", bench.problem, "A problem; commas multiply, as in mask=full,causal")
      .list("--grid", "GRID", bench.grids, "Problems by name, several with commas; quick if nothing is given")
      .list("--kernel", "KERNEL", bench.kernels, "NAME[:setting=value...]; several with commas; flash if none is named")
      .list("--plugin", "FILE", bench.plugins, "A shared library with the C interface; may be given several times")
      .list("--program", "LINE", bench.programs, "A program that answers on its standard output, as a line for a shell")
      .option("--timeout", "TIME", bench.timeout, "An outside kernel's call, and a peer's, may take so long: 60s")
      .option("--memory-limit", "BYTES", bench.memory_limit,
              "An outside kernel's process may take so much: 2G; half of the memory if nothing is given")
      .option("--peers", "LINE", bench.peers, "What starts peers, libraries of others, as a line for a shell")
      .list("--peer", "PEER", bench.peer_names, "Only these peers; all of them otherwise")
      .list("--threads", "N", bench.threads, "Numbers of threads, as in 1,2; 1 and all if nothing is given")
      .option("--rounds", "N", bench.rounds, "How many rounds must count; 7 if nothing is given")
      .option("--steady", "PERCENT", bench.steady,
              "A round counts if the limit moved by no more than this; 5 if nothing is given")
      .flag("--limits", bench.limits_only, "Only the limits of this machine")
      .option("--budget", "TIME", bench.budget, "End after this time: 60s, 5m, 1h")
      .option("--report", "DIR", bench.report_directory, "Also write table, JSON and picture to this folder")
      .option("--format", "BENCH_FORMAT", bench.format,
              fmt::format("The format on standard output: {}", fmt::join(Registry<BenchFormat>::names(), ", ")))
      .runs([&bench] { return bench_command(read_bench_request(bench)); });
}

/// Everything that the program can be asked for.
class CommandLine {
 public:
  CommandLine() {
    app_.footer(examples);
    const std::string version_help = "Print the version and exit";
    app_.add_flag("--version", version_help);
    add("demo", "A right and a wrong kernel, judged in seconds", "demo").runs(demo_command);
    describe_run(add("run", "Judge kernels on a problem or a suite",
                     "run --kernel=flash --suite=ci --require=causal,gqa --report=build/report"),
                 given_.run);
    add("list", "What there is: kernels, masks, properties, ...", "list masks")
        .place("KIND", given_.list_kind, "One kind; the kinds if nothing is given", false)
        .runs([this] { return list_command(given_.list_kind); });
    add("explain", "What a name or the reason of a verdict means", "explain wrong-number")
        .place("ID", given_.explain_id, "A word of a problem, of a report or of attestone list")
        .runs([this] { return explain_command(given_.explain_id); });
    describe_score(add("score", "Which planted bugs each judge catches: ours and other projects'",
                       "score --judge=pytorch_sdpa --mutant=no_delta,lost_tail --suite=smoke"),
                   given_.score);
    describe_bench(add("bench", "How fast kernels are, as shares of what this machine can do",
                       "bench --kernel=flash,dense --threads=1,2 'shape=1x8x1024x1024x64 mask=full,causal'"),
                   given_.bench);
    add("answer", "A kernel as a program behind the pipe, for other programs to ask",
        "run --program='attestone answer flash'")
        .place("KERNEL", given_.answering, "NAME[:setting=value...]")
        .runs([this] { return answer_command(given_.answering); });
    add("init", "A new directory with a right and a wrong kernel, ready to be judged", "init my_kernel --language=c++")
        .place("DIR", given_.directory, "Where; nothing there is overwritten")
        .option("--language", "LANGUAGE", given_.language, "c++, cuda or python; c++ if nothing is given")
        .runs([this] { return init_command(given_.directory, given_.language); });
    add("completion", "A script that completes this command line",
        "eval \"$(attestone completion bash)\" in .bashrc, or zsh in .zshrc after compinit")
        .place("SHELL", given_.shell, "bash or zsh")
        .runs([this] { return completion_command(given_.shell, description()); });
    add("doctor", "This machine and this build, for bug reports", "doctor").runs(doctor_command);
    add("help", "How to use attestone, or one of its commands", "help run")
        .place("COMMAND", given_.help_about, "A command; all of them if nothing is given", false)
        .runs([this] { return help(given_.help_about); });
  }

  ExitStatus run(const std::vector<std::string>& words) {
    const CommandWords read = read_words(description(), words);
    if (read.help) return help(read.command);
    if (!read.command.empty()) return command(read.command).run(read);
    if (read.given.empty()) return help("");
    fmt::print("{}\n", version());
    return ExitStatus::ok;
  }

 private:
  Command& add(const std::string& name, const std::string& summary, const std::string& example) {
    return commands_.emplace_back(app_, name, summary, example);
  }

  CommandLineDescription description() const {
    CommandLineDescription all;
    for (const char* option : {"--help", "--version"}) all.values.push_back({"", option, ""});
    for (const Command& command : commands_) {
      all.commands.push_back(command.name());
      all.values.push_back({command.name(), "--help", ""});
      all.values.insert(all.values.end(), command.values().begin(), command.values().end());
    }
    return all;
  }

  const Command& command(const std::string& name) const {
    for (const Command& command : commands_)
      if (command.name() == name) return command;
    throw UserError("unknown command '" + name + "'", did_you_mean(name, description().commands));
  }

  ExitStatus help(const std::string& about) const {
    fmt::print("{}", about.empty() ? app_.help() : command(about).help());
    return ExitStatus::ok;
  }

  CLI::App app_{"attestone judges whether an attention kernel is right.", "attestone"};
  Given given_;
  std::deque<Command> commands_;
};

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  const DefaultFloatingPoint environment;
  return static_cast<int>(ended([&] { return CommandLine().run({argv + std::min(argc, 1), argv + argc}); }));
}

}  // namespace attestone::inline conformance

int attestone_command_line(int argc, const char* const* argv) { return attestone::run_command_line(argc, argv); }
