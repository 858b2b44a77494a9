// SPDX-License-Identifier: Apache-2.0
// Collecting the words from the registries.
#include "conformance/program/commands/vocabulary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/catalogue.hpp"
#include "backends/distributed/method/rank_program.hpp"
#include "backends/systems/system_method.hpp"
#include "conformance/bench/formats/bench_format.hpp"
#include "conformance/bench/grids.hpp"
#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/diagnosis/probes/precision_class.hpp"
#include "conformance/problems/coverage.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/problems/regime.hpp"
#include "conformance/problems/suite.hpp"
#include "conformance/program/commands/method_words.hpp"
#include "conformance/program/commands/report_words.hpp"
#include "conformance/program/request/world.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/rival_rules/formats/matrix_format.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "mutants/mutant.hpp"
#include "reference/problem/to_come.hpp"
#include "reference/registry.hpp"
#include "reference/scores/score_words.hpp"
#include "simulate/world/fault.hpp"

namespace attestone::inline conformance {
namespace {

/// One word for every entry of a registry.
template <class Entry, class MakeWord>
std::vector<Word> words(MakeWord make_word) {
  std::vector<Word> all;
  for (const auto& [name, entry] : Registry<Entry>::all()) all.push_back(make_word(entry));
  return all;
}

std::string with_arguments(std::string_view name, std::string_view arguments) {
  return arguments.empty() ? std::string(name) : fmt::format("{}:{}", name, arguments);
}

std::vector<std::string> spellings(std::string_view name, bool has_arguments) {
  return {std::string(name) + (has_arguments ? ":" : "")};
}

Word score_term(const ScoreWord& s) {
  const bool number = s.argument == ScoreWord::Argument::number;
  std::vector<std::string> all;
  for (const std::string_view kind : s.kinds) all.push_back(fmt::format("{}:{}", s.name, kind));
  return {with_arguments(s.name, number ? "number" : fmt::format("{}", fmt::join(s.kinds, "|"))),
          std::string(s.summary), "", all.empty() ? spellings(s.name, number) : all};
}

template <class Entry>
std::string settings_text(const Entry& kernel) {
  std::string text;
  for (const Setting& setting : kernel.settings)
    text += fmt::format("  {}={}   {}\n", setting.name, setting.fallback, setting.meaning);
  return text.empty() ? text
                      : "settings and their defaults, as in " + std::string(kernel.name) + ":" +
                            std::string(kernel.settings.front().name) + "=...\n" + text;
}

Word system_word(const SystemMethod& m) {
  std::vector<std::string> limits;
  for (const Limit& limit : m.limits) limits.emplace_back(limit.what);
  return {std::string(m.name), std::string(m.summary),
          fmt::format("computes what {} computes\nlimits: {}\nwithout --mesh on {}\n{}", m.ours,
                      fmt::join(limits, ", "), fmt::join(m.meshes, ", "),
                      m.local == "flash" ? "" : fmt::format("without --local with {}\n", m.local))};
}

Word dtype_word(const DType& d) {
  return {std::string(d.name), std::string(d.summary),
          fmt::format("{} bits, {} of them significand (the hidden one included); u = 2^-{}, smallest normal {:g}, "
                      "smallest subnormal {:g}, largest {:g}\n",
                      d.storage_bits(), d.precision(), d.precision(), d.smallest_normal(), d.smallest_subnormal(),
                      d.largest())};
}

Word judge_word(const Judge& j) {
  std::vector<std::string> tensors;
  for (const TensorName tensor : j.looks_at) tensors.emplace_back(text(tensor));
  return {std::string(j.name), std::string(j.rule),
          fmt::format("from {}\nlooks at {}; as in\n  attestone score --judge={}\nusual inputs, of which {}:\n{}\n",
                      j.source, fmt::join(tensors, ", "), j.name, j.scaled, j.usual)};
}

Word axis_word(const Axis& axis) {
  std::string names;
  for (const Regime& regime : axis.regimes()) names += " " + regime.name;
  return {std::string(axis.name), std::string(axis.aim), fmt::format(" {}\n", names)};
}

Word convention_word(const ConventionField& field) {
  std::string values;
  for (const auto& [word, meaning] : field.values) values += fmt::format("  {}={}   {}\n", field.name, word, meaning);
  return {std::string(field.name), fmt::format("{}, or by its own convention otherwise", field.values.front().meaning),
          fmt::format("what a kernel may declare; the first is what the rules say\n{}", values)};
}

/// "# smoke: does it work at all" says what smoke is.
std::string first_comment(const Suite& suite) {
  const std::string_view line = suite.text.substr(0, suite.text.find('\n'));
  return std::string(line.substr(line.find(": ") + 2));
}

}  // namespace

// long: a table, one statement per kind of word
std::map<std::string, std::vector<Word>> vocabulary() {
  std::map<std::string, std::vector<Word>> all;
  all["kernels"] = words<KernelEntry>([](const KernelEntry& k) {
    return Word{std::string(k.name), std::string(k.summary), settings_text(k)};
  });
  all["names"] = words<SystemMethod>(system_word);
  all["methods"] = method_words();
  for (const auto& [name, method] : Registry<RankProgramEntry>::all())
    if (!Registry<SystemMethod>::find(name))
      all["kernels"].push_back(
          {name, fmt::format("on a mesh: {}", method.summary),
           fmt::format("{}without --mesh on {}\n", settings_text(method), fmt::join(method.meshes, ", "))});
  all["properties"] = words<Property>([](const Property& p) {
    return Word{std::string(p.name), std::string(p.claim), ""};
  });
  all["masks"] = words<MaskRule>([](const MaskRule& m) {
    return Word{with_arguments(m.name, m.arguments), std::string(m.summary), "",
                spellings(m.name, !m.arguments.empty())};
  });
  for (const ScoreWord& word : score_words()) all["scores"].push_back(score_term(word));
  all["dtypes"] = words<DType>(dtype_word);
  all["fills"] = words<Fill>([](const Fill& f) {
    return Word{with_arguments(f.name, f.arguments), "aimed at " + std::string(f.aim), "",
                spellings(f.name, !f.arguments.empty())};
  });
  all["layouts"] = words<Layout>([](const Layout& l) { return Word{std::string(l.name), std::string(l.summary), ""}; });
  for (const LayoutToCome& l : layouts_to_come())
    all["layouts"].push_back(
        {with_arguments(l.name, l.arguments), std::string(l.summary), "", spellings(l.name, !l.arguments.empty())});
  for (const Axis* axis : axes_in_turn()) all["regimes"].push_back(axis_word(*axis));
  for (const Granularity& g : granularities())
    all["granularities"].push_back({std::string(g.name), std::string(g.meaning), ""});
  for (const MeshAxisWord& axis : mesh_axes())
    all["axes"].push_back({with_arguments(axis.name, "N"), std::string(axis.summary), "", spellings(axis.name, true)});
  for (const WorldWord& world : worlds()) all["worlds"].push_back({world.name, world.meaning, ""});
  all["faults"] = words<FaultRule>([](const FaultRule& fault) {
    return Word{std::string(fault.name), std::string(fault.summary), ""};
  });
  all["judges"] = words<Judge>(judge_word);
  all["formats"] = words<ReportFormat>([](const ReportFormat& f) {
    return Word{std::string(f.name), std::string(f.summary), ""};
  });
  all["matrix_formats"] = words<MatrixFormat>([](const MatrixFormat& f) {
    return Word{std::string(f.name), "what attestone score prints: " + std::string(f.summary), ""};
  });
  all["bench_formats"] = words<BenchFormat>([](const BenchFormat& f) {
    return Word{std::string(f.name), "what attestone bench prints: " + std::string(f.summary), ""};
  });
  for (const Grid& grid : grids())
    all["grids"].push_back({std::string(grid.name), "problems of attestone bench: " + std::string(grid.meaning),
                            fmt::format("{}\n", fmt::join(grid.problems, "\n"))});
  all["mutants"] = words<Mutant>([](const Mutant& m) {
    return Word{std::string(m.name), std::string(m.summary),
                fmt::format("caught by {}, as in\n  attestone run --kernel='{}' --property={} '{}'\n", m.property,
                            m.name, m.property, m.problem)};
  });
  for (const Suite& suite : builtin_suites())
    all["suites"].push_back({std::string(suite.name), first_comment(suite), std::string(suite.text)});
  for (const Feature& feature : features())
    all["features"].push_back({std::string(feature.name), std::string(feature.meaning), ""});
  all["features"].push_back(
      {std::string(default_class), "declares no arithmetic that is looser than the default class of its formats", ""});
  all["features"].push_back({std::string(default_conventions), "declares no convention but those of the rules", ""});
  for (const ConventionField& field : convention_fields()) all["conventions"].push_back(convention_word(field));
  for (const FieldHelp& field : problem_fields())
    all["fields"].push_back(
        {std::string(field.name), std::string(field.meaning), fmt::format("for example {}\n", field.example)});
  for (const ReportWord& word : report_words())
    all[std::string(word.kind)].push_back(
        {std::string(word.name), std::string(word.meaning), std::string(word.details)});
  for (const InvarianceWord& word : invariance_words())
    all["invariances"].push_back({std::string(word.name),
                                  "a kernel may declare that the bits of a row are independent of it",
                                  fmt::format("{}, as in --declare='invariant={}'\n", word.meaning, word.name)});
  all["kinds"] = words<KindOfFault>([](const KindOfFault& kind) {
    return Word{std::string(kind.name), std::string(kind.says), fmt::format("look at {}\n", kind.look_at)};
  });
  for (const PrecisionClass& known : precision_classes())
    all["classes"].push_back({std::string(known.name), std::string(known.says), ""});
  all["reasons"] = words<Reason>([](const Reason& r) {
    return Word{std::string(r.name), std::string(r.meaning), fmt::format("look at {}\n", r.look_at)};
  });
  return all;
}

}  // namespace attestone::inline conformance
