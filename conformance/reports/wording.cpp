// SPDX-License-Identifier: Apache-2.0
// Counts, sizes, shares and reasons in words.
#include "conformance/reports/wording.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace attestone {
namespace {

/// A character that XML 1.0 allows and a terminal does not obey.
bool is_printable(char32_t c) {
  const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0);
  const bool surrogate = c >= 0xd800 && c <= 0xdfff;
  return !control && !surrogate && c != 0xfffe && c != 0xffff && c <= 0x10ffff;
}

/// The bytes of the printable character that `text` begins with; 0 if it begins with none (RFC 3629).
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return is_printable(first) ? 1 : 0;
  const std::size_t length = first >= 0xf0 && first < 0xf8   ? 4
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xc0 && first < 0xe0 ? 2
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  char32_t c = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return 0;
    c = c << 6 | (next & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // of each length; below it, a shorter one was due
  return c >= least[length] && is_printable(c) ? length : 0;
}

}  // namespace

index count_of(const Counts& counts, Outcome outcome) {
  const auto found = counts.find(outcome);
  return found == counts.end() ? 0 : found->second;
}

std::string_view headline(const KernelRun& run) {
  return !run.conforms() ? "does not conform" : run.ran() ? "conforms" : "nothing ran";
}

std::string bytes_text(index count) {
  if (count < 1024) return fmt::format("{} B", count);
  if (count < 1024 * 1024) return fmt::format("{:.1f} KiB", static_cast<double>(count) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(count) / (1024 * 1024));
}

std::string share_text(double share) { return share < 1e6 ? fmt::format("{:.3g}", share) : "more than 1e6"; }

std::string distance_text(const Verdict& verdict) {
  if (!verdict.worst || verdict.outcome != Outcome::failed) return {};
  return fmt::format("off by {:.3g} ulp: {} times the deterministic bound, {} times the probabilistic one",
                     verdict.worst->ulps, share_text(verdict.worst->r_det), share_text(verdict.worst->r_prob));
}

std::string_view look_at(const Verdict& verdict) {
  const auto reason = std::ranges::find(reasons(), verdict.reason, &Reason::id);
  return reason == reasons().end() ? std::string_view() : reason->look_at;
}

std::string name_of(const Failure& failure) {
  return failure.property ? std::string(failure.property->name) : failure.verdict.reason;
}

std::string coverage_text(const std::string& feature, const Counts& counts) {
  const index conclusive = count_of(counts, Outcome::passed) + count_of(counts, Outcome::failed);
  const index refused = count_of(counts, Outcome::skipped);
  return fmt::format("{} {}{}", feature, conclusive, refused ? fmt::format(" ({} refused)", refused) : "");
}

std::string printable(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    all += length ? text.substr(0, length) : "\uFFFD";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return all;
}

}  // namespace attestone
