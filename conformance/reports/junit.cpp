// SPDX-License-Identifier: Apache-2.0
// The report that continuous integration reads: JUnit XML, a suite for each kernel and a test for each case.
#include <fmt/format.h>
#include <ostream>
#include <pugixml.hpp>

#include "conformance/reports/causes.hpp"
#include "conformance/reports/wording.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

void set(pugi::xml_node node, const char* attribute, std::string_view value) {
  node.append_attribute(attribute) = printable(value).c_str();
}
void set(pugi::xml_node node, const char* attribute, index value) { set(node, attribute, fmt::format("{}", value)); }

/// A test is one of many of its class, and readers sort by class: "flash.value_bound".
pugi::xml_node add_test(pugi::xml_node suite, const std::string& kernel, std::string_view property,
                        std::string_view name) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "name", name);
  set(test, "classname", fmt::format("{}.{}", kernel, property));
  return test;
}

void add_result(pugi::xml_node test, const char* kind, const std::string& reason, const std::string& message,
                const std::string& body) {
  pugi::xml_node result = test.append_child(kind);
  set(result, "type", reason);
  set(result, "message", message);
  if (!body.empty()) result.text() = printable(body).c_str();
}

/// Evidence, distance, where the errors lie, what further calls told, where to look, and the line that runs the least
/// failing problem again.
std::string failure_body(const Verdict& verdict, const Failure& failure) {
  std::string body = "\n" + verdict.evidence + "\n";
  if (const std::string distance = distance_text(verdict); !distance.empty()) body += distance + "\n";
  if (const std::string where = where_text(failure); !where.empty()) body += "where: " + where + "\n";
  const Circumstances& told = failure.circumstances;
  if (!told.pattern.empty()) body += "pattern: " + told.pattern + "\n";
  if (const std::string when = when_text(told); !when.empty()) body += "when: " + when + "\n";
  for (const NamedKind& kind : told.kinds) body += fmt::format("kind: {}; look at {}\n", kind_text(kind), kind.look_at);
  body += fmt::format("look at {} (attestone explain {})\n", look_at(verdict), verdict.reason);
  if (const std::string repro = repro_of(failure); !repro.empty()) body += "repro " + repro + "\n";
  return body;
}

void add_case(pugi::xml_node suite, const KernelRun& run, const Case& c) {
  pugi::xml_node test = add_test(suite, run.kernel, c.property->name, repro_line(run.option, *c.property, c.problem));
  const Verdict& verdict = c.verdict;
  if (verdict.reason == "property-error")
    add_result(test, "error", verdict.reason, verdict.evidence, "");
  else if (verdict.outcome == Outcome::inconclusive || verdict.outcome == Outcome::skipped)
    add_result(test, "skipped", verdict.reason, fmt::format("{}: {}", text(verdict.outcome), verdict.evidence), "");
  if (verdict.outcome != Outcome::failed) return;
  for (const Failure& failure : run.failures)
    if (failure.property == c.property)
      add_result(test, "failure", verdict.reason, verdict.evidence, failure_body(verdict, failure));
}

/// A failure of the whole run has no case of its own.
void add_general_failure(pugi::xml_node suite, const KernelRun& run, const Failure& failure) {
  const Verdict& verdict = failure.verdict;
  add_result(add_test(suite, run.kernel, verdict.reason, verdict.evidence), "failure", verdict.reason, verdict.evidence,
             failure_body(verdict, failure));
}

index count_elements(pugi::xml_node suite, const char* kind) {
  index count = 0;
  for (const pugi::xml_node test : suite.children("testcase")) count += test.child(kind) ? 1 : 0;
  return count;
}

void add_properties(pugi::xml_node suite, const Report& report, const KernelRun& run) {
  pugi::xml_node properties = suite.append_child("properties");
  const auto add = [&](const char* name, std::string_view value) {
    pugi::xml_node property = properties.append_child("property");
    set(property, "name", name);
    set(property, "value", value);
  };
  add("version", report.version);
  add("instruction_set", report.instruction_set);
  add("verdict", headline(run));
  for (const std::string& looser : looser_texts(run)) add("declares", looser);
  for (const std::string& own : convention_texts(run)) add("convention", own);
  if (const std::string invariant = invariant_text(run); !invariant.empty()) add("invariant", invariant);
  for (const Cause& cause : causes(run)) {
    if (cause.shared) add("shared", fmt::format("{}: {}", name_of(*cause.failure), text(*cause.shared)));
    if (!cause.others.empty())
      add("cause", fmt::format("{}, also failed by: {}", name_of(*cause.failure), others_text(cause)));
  }
  if (run.lean) add("lean", lean_text(*run.lean));
  if (run.would_pass) add("would pass", would_pass_text(*run.would_pass));
  for (const bool backward : {false, true})
    if (const Case* largest = largest_memory(run, backward))
      add(backward ? "memory of the backward pass" : "memory", memory_text(*largest));
  add("complete", run.complete ? "yes" : "no, " + incomplete_text(run));
}

void add_suite(pugi::xml_node suites, const Report& report, const KernelRun& run) {
  pugi::xml_node suite = suites.append_child("testsuite");
  add_properties(suite, report, run);
  for (const Case& c : run.cases) add_case(suite, run, c);
  for (const auto& [why, problems] : run.refusals)
    add_result(add_test(suite, run.kernel, "refused", why), "skipped", "refused",
               fmt::format("{} problems refused: {}", problems, why), "");
  for (const Failure& failure : run.failures)
    if (!failure.property) add_general_failure(suite, run, failure);
  // Readers of JUnit know no run that was cut short: a test that could not be carried out turns them red.
  if (run.cut_short)
    add_result(
        add_test(suite, run.kernel, "cut-short", incomplete_text(run)), "error", "cut-short",
        fmt::format("{}{}", incomplete_text(run), run.own_failures.empty() ? "" : ": " + run.own_failures.front()), "");
  set(suite, "name", run.kernel);
  set(suite, "tests", std::distance(suite.children("testcase").begin(), suite.children("testcase").end()));
  set(suite, "failures", count_elements(suite, "failure"));
  set(suite, "errors", count_elements(suite, "error"));
  set(suite, "skipped", count_elements(suite, "skipped"));
  set(suite, "time", fmt::format("{:.3f}", run.seconds));
}

void write(const Report& report, const Style&, std::ostream& out) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node suites = document.append_child("testsuites");
  set(suites, "name", "attestone: " + report.suite);
  for (const KernelRun& run : report.runs) add_suite(suites, report, run);
  if (report.runs.empty()) {
    KernelRun none;
    none.kernel = "kernels";
    none.complete = false;
    none.cut_short = CutShort::interrupted;  // or by the budget, while they were loaded
    add_suite(suites, report, none);
  }
  document.save(out, " ");
}

const Registration<ReportFormat> registered{{
    .name = "junit",
    .extension = "xml",
    .summary = "for continuous integration: JUnit XML, a test for each case",
    .write = write,
}};

}  // namespace
}  // namespace attestone::inline conformance
