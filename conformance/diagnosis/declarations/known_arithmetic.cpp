// SPDX-License-Identifier: Apache-2.0
// The table of known arithmetics, step by step.
#include "conformance/diagnosis/declarations/known_arithmetic.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <sstream>

#include "reference/dtypes/dtype.hpp"

namespace attestone::inline conformance {
namespace {

/// How narrow a number is kept: the unit roundoff is 2^-bits.
struct Narrow {
  std::string_view name;
  int bits;
  bool cuts = false;
};
constexpr Narrow stored[] = {{"f16", 11}, {"bf16", 8}};
constexpr Narrow operands[] = {{"tf32", 11}, {"bf16", 8}};
// Scores only: cutting what O is made of makes it smaller, like many a fault.
constexpr Narrow cut_scores[] = {{"f16", 11}, {"f16, cut off", 10, true}, {"bf16", 8}, {"bf16, cut off", 7, true}};
constexpr Narrow cut_operands[] = {{"tf32", 11}, {"tf32, cut off", 10, true}, {"bf16", 8}, {"bf16, cut off", 7, true}};
// Half the least subnormal number of f16.
constexpr std::string_view least_of_f16 = "0x1p-25";

std::string power(int bits) { return fmt::format("0x1p-{}", bits); }

/// Arithmetics that keep a stage in these formats; `field` is its roundoff. In f16, small numbers may vanish too.
template <std::size_t n>
ArithmeticFamily kept(std::string_view says, const Narrow (&formats)[n], const std::string& field,
                      const std::string& underflow = {}) {
  ArithmeticFamily family;
  for (const Narrow& format : formats) {
    const std::string words = fmt::format(fmt::runtime(says), format.name);
    const std::string declares = fmt::format("{}={}", field, power(format.bits));
    family.push_back({words, declares, !format.cuts, format.cuts});
    if (format.name == "f16" && !underflow.empty())
      family.push_back({words, fmt::format("{} {}={}", declares, underflow, least_of_f16)});
  }
  return family;
}

/// Sums in the accumulator of which these are the fields: of tensor cores, which cut, and of narrow formats.
ArithmeticFamily sums(std::string_view what, const std::string& accumulator) {
  const auto cut = [&](int bits, const std::string& in, bool combines) {
    return KnownArithmetic{fmt::format("adds up {} in {}", what, in),
                           fmt::format("{0}roundoff={1} {0}truncates=yes", accumulator, power(bits - 1)), combines,
                           true};
  };
  const auto rounded = [&](int bits, const std::string& in) {
    return KnownArithmetic{fmt::format("adds up {} in {}", what, in),
                           fmt::format("{}roundoff={}", accumulator, power(bits)), true};
  };
  ArithmeticFamily family{cut(24, "f32 that is cut off", false), cut(14, "14 bits, the rest cut off", true),
                          cut(13, "13 bits, the rest cut off", true), rounded(11, "f16")};
  family.push_back(family.back());
  family.back().declares += fmt::format(" {}underflow={}", accumulator, least_of_f16);
  family.push_back(rounded(8, "bf16"));
  return family;
}

/// Functions that are good to so many bits. Where one that leans would make a whole gradient larger or smaller, it is
/// taken not to: that is what faults do.
ArithmeticFamily errors(std::string_view what, const std::string& field, int most_bits, int least_bits, bool lean) {
  ArithmeticFamily family;
  for (int bits = most_bits; bits >= least_bits; --bits)
    family.push_back({fmt::format("computes {} to {} bits", what, bits), fmt::format("{}={}", field, power(bits)),
                      bits % 4 == 0, lean});
  return family;
}

/// Weights as they meet V; `says` and `declares` are what else is done with them.
ArithmeticFamily weights(const std::string& says, const std::string& declares) {
  ArithmeticFamily family;
  const std::string beside = declares.empty() ? "" : " " + declares;
  if (!declares.empty()) family.push_back({says, declares, true});
  for (const std::string name : {"f16", "bf16", "e4m3", "e5m2"}) {
    const DType& format = dtype(name);
    const std::string words = fmt::format("{}{}rounds weights to {}", says, says.empty() ? "" : " and ", name);
    const std::string roundoff = fmt::format("weight_roundoff={:a}", format.unit_roundoff());
    const bool is_short = format.smallest_normal() > 0x1p-14;  // of range: small weights vanish
    family.push_back({words, roundoff + beside, !is_short});
    if (name != "bf16")
      family.push_back({words,
                        fmt::format("{} weight_underflow={:a} weight_smallest_normal={:a}{}", roundoff,
                                    format.underflow(), format.smallest_normal(), beside),
                        is_short});
  }
  return family;
}

/// K and V as codes that share a scale for each row: half a step of the largest number.
ArithmeticFamily coded_rows(std::string_view what, const std::string& rows) {
  constexpr double steps = 2 * 127, slack = 1.01;  // what is read back is rounded once more
  return {{fmt::format("keeps {} in int8, with a scale for each row", what),
           fmt::format("{}.of_largest={:.4g}", rows, slack / steps), true}};
}

/// Parts of a row that are merged in one of the forms; o or out of a part may be stored narrowly, and what they add up
/// to be kept so.
std::vector<ArithmeticFamily> merges() {
  std::vector<ArithmeticFamily> all;
  struct Form {
    std::string_view name, says;
  };
  constexpr Form forms[] = {{"rescaled_sums", "merges the sums of {} parts of a row"},
                            {"late_correction", "merges the answers of {} parts of a row by their log_sum_exp"},
                            {"sigmoid", "merges the answers of {} parts of a row by sigmoids"}};
  for (const Form& form : forms)
    for (const std::string_view in : {"", "f16", "bf16"}) {
      ArithmeticFamily family;
      const int bits = in == "f16" ? 11 : 8;
      for (const int parts : {2, 8, 64}) {
        const std::string says = fmt::format(fmt::runtime(form.says), parts);
        const std::string declares = fmt::format("merge.form={} merge.parts={}", form.name, parts);
        if (in.empty()) {
          family.push_back({says, declares});
          continue;
        }
        const std::string part = fmt::format("{} merge.out.roundoff={}", declares, power(bits));
        family.push_back({fmt::format("{}, stored in {}", says, in), part});
        family.push_back(
            {fmt::format("{}, in {}", says, in), fmt::format("{} merge.accumulator.roundoff={}", part, power(bits))});
      }
      all.push_back(std::move(family));
    }
  return all;
}

void add_answers(std::vector<ArithmeticFamily>& all) {
  all.push_back(kept("multiplies weights and V in {}", operands, "value.operand_roundoff"));
  all.push_back(sums("q.k", "score.accumulator."));
  all.push_back(sums("weighted V", "value.accumulator."));
  all.push_back(coded_rows("K", "score.keys"));
  all.push_back(coded_rows("V", "value.values"));
  all.push_back(errors("logarithms", "log_error", 20, 8, true));
  // For kernels that declare their merges.
  all.push_back(kept("stores the parts of a row in {}", stored, "merge.out.roundoff", "merge.out.underflow"));
}

void add_gradients(std::vector<ArithmeticFamily>& all) {
  all.push_back(kept("rounds dS to {}", stored, "score_gradient_roundoff", "score_gradient_underflow"));
  all.push_back(kept("stores dP in {}", stored, "gradient.stored.roundoff", "gradient.stored.underflow"));
  all.push_back(kept("makes dS of weights in {}", stored, "gradient.weight.roundoff", "gradient.weight.underflow"));
  all.push_back(kept("multiplies dS with Q and K, and dO with V, in {}", operands, "gradient.operand_roundoff"));
  all.push_back(sums("gradients, or delta,", "gradient.accumulator."));
  for (const int parts : {2, 8, 64})
    all.push_back(kept(fmt::format("stores sums of dK and dV in {{}}, of {} parts", parts), stored,
                       fmt::format("gradient.parts={} gradient.part.roundoff", parts)));
  all.push_back({{"takes delta from O as it is stored", "delta_from_rounded_out=yes", true}});
}

}  // namespace

std::string loosest(const ArithmeticFamily& family) {
  const auto size_of = [](const std::string& value) {
    return value == "yes" ? 1.0 : std::strtod(value.c_str(), nullptr);
  };
  std::map<std::string, std::string> fields;
  for (const KnownArithmetic& level : family) {
    std::istringstream declared(level.declares);
    for (std::string field; declared >> field;) {
      const std::size_t sign = field.find('=');
      const std::string value = field.substr(sign + 1);
      std::string& most = fields.try_emplace(field.substr(0, sign), value).first->second;
      if (size_of(value) > size_of(most)) most = value;
    }
  }
  std::string declares;
  for (const auto& [name, value] : fields) declares += (declares.empty() ? "" : " ") + name + "=" + value;
  return declares;
}

std::vector<ArithmeticFamily> known_arithmetics(const Problem& problem, bool gradients) {
  std::vector<ArithmeticFamily> all{
      kept("stores scores in {}", cut_scores, "score_roundoff", "score_underflow"),
      kept("multiplies Q and K in {}", cut_operands, "score.operand_roundoff"),
      kept("scales the query and rounds it to {}", stored, "prescale_roundoff", "prescale_underflow"),
      kept("multiplies in {}", operands, "operand_roundoff"),
      errors("exponentials", "exp_error", 20, 5, !gradients),
      weights("", ""),
      weights("divides weights by their sum before they meet V", "weights_are_normalised=yes"),
      weights("sums the rounded weights", "denominator_sums_cast_weights=yes"),
      sums("everything", "accumulator_"),
      kept("rounds what it stores to {}", stored, "output_roundoff", "output_underflow"),
      kept("stores log_sum_exp in {}", stored, "log_sum_exp_roundoff"),
  };
  if (problem.score.softcap()) all.push_back(errors("hyperbolic tangents", "tanh_error", 10, 5, true));
  (gradients ? add_gradients : add_answers)(all);
  return all;
}

std::vector<ArithmeticFamily> known_merges(bool gradients) {
  return gradients ? std::vector<ArithmeticFamily>() : merges();
}

}  // namespace attestone::inline conformance
