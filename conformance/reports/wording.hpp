// SPDX-License-Identifier: Apache-2.0
// Words that several formats of a report share.
#pragma once

#include <string>
#include <string_view>

#include "conformance/reports/report.hpp"
#include "reference/printable.hpp"

namespace attestone::inline conformance {

/// How many cases had this outcome; 0 where none is counted.
index count_of(const Counts&, Outcome);

/// "conforms", "conforms to what it declares, which is looser than bf16-P", "does not conform", "nothing ran", or "no
/// verdict: ..." after a run that was cut short or went wrong; verdicts name conventions that are not those of the
/// rules.
std::string headline(const KernelRun&);

/// "batch, heads: declared, and judged bit by bit; padding: declared, but not judged": of what a kernel declares rows
/// to be independent; empty if that is nothing.
std::string invariant_text(const KernelRun&);

/// "incomplete: interrupted", "incomplete: a failure ended the run"; empty of a complete run.
std::string incomplete_text(const KernelRun&);

/// "512 B", "1.5 KiB", "2.0 MiB".
std::string bytes_text(index count);

/// "peak workspace 1.5 KiB (documented: 2.0 KiB), with tensors 4.0 KiB, at shape=...": of a case that measured it.
std::string memory_text(const Case&);

/// "ranks 0 to 3: 6 messages, 18.0 KiB sent, peak 37.5 KiB": what the devices of a case did, a line for those that are
/// alike; with what is documented, where that is more.
std::vector<std::string> device_texts(const Case&);

/// "36.2", or "more than 1e6": a share of a bound for people.
std::string share_text(double share);

/// "off by 527 ulp: 36.2 times the deterministic bound, ..." for a failed verdict with a worst element; else nothing.
std::string distance_text(const Verdict&);

/// "out: head 3, queries 64-127 (512 of 4096 elements beyond their bound); log_sum_exp: ...; at shape=...": where the
/// errors lie on the problem that failed first, which is named if it is not the least; nothing if that is not known.
std::string where_text(const Failure&);

/// "only with a sink and layout=bshd; only if keys > 64 (23 further calls)": when a kernel fails; nothing if that is
/// not known.
std::string when_text(const Circumstances&);

/// "head_mapping: a head reads ... (4 predictions came true)".
std::string kind_text(const NamedKind&);

/// "would pass with --declare='score_roundoff=0x1p-11' (23 answers are within those bounds)"; or that no field would
/// pass by itself.
std::string would_pass_text(const SufficientDeclaration&);

/// "gain of dquery: 2e-06 +- 3e-06 over 143 problems; evidence 1e-1.2 of the 1e9 that would convict".
std::string lean_text(const LeanOverRun&);

/// A kernel that computes with attestone, in a sentence.
constexpr std::string_view own_answers_text =
    "its process holds attestone's own library: its right answers may be attestone's, and are no evidence";

/// How the line of a failure fared when it was run again: "fails again", "failed 3 of 5 times", "not run: over budget",
/// or that it takes an earlier call; empty if nobody wanted to know.
std::string again_text(const Failure&, const KernelRun&);

/// "drop happened 12 times, delay happened 40 times"; empty if no faults were asked for.
std::string faults_text(const KernelRun&);

/// The place to look for the reason of a verdict; empty for a verdict that passed.
std::string_view look_at(const Verdict&);

/// "FAILED value_bound" is said of a property by its name, of a whole run by its reason.
std::string name_of(const Failure&);

/// "causal 12 (3 refused)": a feature with the cases that could tell right from wrong on it.
std::string coverage_text(const std::string& feature, const Counts&);
/// "O of every format up to batch 6, head 19, row 1,099, key 4,098, channel 255", and the same of gradients.
std::vector<std::string> reach_texts(const KernelRun&);

}  // namespace attestone::inline conformance
