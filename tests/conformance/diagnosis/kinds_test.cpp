// SPDX-License-Identifier: Apache-2.0
// No wrong kernel whose cause is known gets a kind of fault that it has not.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/mutants/machinery/mutant.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/diagnosis/larger_problem.hpp"
#include "tests/one_in.hpp"

namespace attestone {
namespace {

/// What is told of a mutant, by the property that convicts it: on a larger problem if it fails there, else on its own.
Circumstances told_of(const Mutant& mutant) {
  for (const Problem& problem : {larger(mutant.problem), parse_problem(mutant.problem)}) {
    const KernelRun run =
        examine(mutant.kernel(), {.problems = {problem}, .properties = {Registry<Property>::find(mutant.property)}});
    for (const Failure& failure : run.failures)
      if (failure.property) return failure.circumstances;
  }
  return {};
}

/// The kinds of the mutants that get any; each was read in the mutant's source.
const std::map<std::string_view, std::set<std::string>> known_kinds{
    {"bias_of_first_head", {"head_mapping"}},
    {"block_index_in_sixteen_bits", {"batch_offset"}},
    {"broadcast_ignored_in_small_calls", {"batch_offset", "stride"}},
    {"cu_seqlens_off_by_one", {"batch_offset"}},
    {"delta_of_first_sequence", {"batch_offset"}},
    {"delta_of_narrow_rows", {"padding_of_channels"}},
    {"dq_of_unreached_query_tiles_not_written", {"uninitialised_memory"}},
    {"first_kv_head", {"head_mapping"}},
    {"first_sequence_only", {"uninitialised_memory"}},
    {"first_sixty_four_channels", {"padding_of_channels"}},
    {"gauge_fixed_by_first_key_tile", {"overflow_of_format"}},
    {"head_bias_read_as_batch_bias", {"head_mapping"}},
    {"kv_head_modulo", {"head_mapping"}},
    {"last_part_lost", {"tail_of_last_tile"}},
    {"leading_tile_nan", {"first_tile_hidden"}},
    {"lost_tail", {"tail_of_last_tile"}},
    {"low_scores_taken_for_hidden", {"initial_maximum"}},
    {"maximum_of_each_tile", {"overflow_of_format"}},
    {"merge_from_first_maximum", {"overflow_of_format"}},
    {"no_queries_no_key_gradients", {"uninitialised_memory"}},
    {"padding_keys_weigh", {"tail_of_last_tile"}},
    {"parts_of_kv_heads_merged", {"uninitialised_memory"}},
    {"rescale_covers_only_dim_channels", {"padding_of_channels"}},
    {"scratch_stride_of_128", {"padding_of_channels"}},
    {"short_gradient_product", {"padding_of_channels"}},
    {"tile_behind_empty_sequence_goes_to_it", {"uninitialised_memory"}},
    {"unwritten_rows", {"uninitialised_memory"}},
};

/// In CI for some of them.
TEST(Kinds, AreTrueOfEveryMutant) {
  std::set<std::string> named;
  const OneIn part(32);
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    if (!part.holds(name)) continue;
    const Circumstances told = told_of(mutant);
    std::set<std::string> kinds;
    for (const NamedKind& kind : told.kinds) kinds.insert(kind.name);
    const auto known = known_kinds.find(name);
    EXPECT_EQ(kinds, known == known_kinds.end() ? std::set<std::string>{} : known->second) << name;
    named.merge(kinds);
    if (!told.empty())
      fmt::print("{}: {} | with {} | if {} | {}\n", name, told.pattern, fmt::join(told.only_with, ", "),
                 fmt::join(told.only_if, ", "), told.calls);
  }
  fmt::print("kinds named: {}\n", fmt::join(named, ", "));
}

}  // namespace
}  // namespace attestone
