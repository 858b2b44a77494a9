// SPDX-License-Identifier: Apache-2.0
// No wrong kernel whose cause is known gets a kind of fault that it has not.
// slow: judges many problems
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/run/run.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/diagnosis/larger_problem.hpp"
#include "tests/one_in.hpp"

namespace attestone {
namespace {

/// The circumstances told of a mutant by the property that convicts it: on a larger problem if it fails there, else on
/// its own.
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
    {"backward_grid_ends_at_65535_sequences", {"uninitialised_memory"}},
    {"batch_bias_repeated_head_first", {"batch_offset"}},
    {"bias_gradient_beside_query_gradient", {"uninitialised_memory"}},
    {"bias_of_first_head", {"head_mapping"}},
    {"block_index_in_sixteen_bits", {"batch_offset"}},
    {"block_merges_one_partner", {"merge_of_splits"}},
    {"block_number_by_short_reciprocal", {"uninitialised_memory"}},
    {"blocks_without_steps_not_written", {"uninitialised_memory"}},
    {"broadcast_ignored_in_small_calls", {"batch_offset", "stride"}},
    {"cache_slice_taken_for_whole", {"stride"}},
    {"counter_rewound_by_one_worker", {"uninitialised_memory"}},
    {"cu_seqlens_off_by_one", {"batch_offset"}},
    {"dbias_above_the_diagonal_not_converted", {"uninitialised_memory"}},
    {"decode_head_tile_crosses_kv_group", {"head_mapping"}},
    {"delta_assumes_packed_outputs", {"stride"}},
    {"delta_of_first_sequence", {"batch_offset"}},
    {"delta_of_narrow_rows", {"padding_of_channels"}},
    {"delta_reads_dout_with_strides_of_out", {"stride"}},
    {"delta_walks_dout_with_strides_of_out", {"stride"}},
    {"dkey_stored_with_strides_of_key", {"stride"}},
    {"dout_offsets_in_31_bits", {"stride"}},
    {"dout_read_with_strides_of_out", {"stride"}},
    {"dq_of_unreached_query_tiles_not_written", {"uninitialised_memory"}},
    {"dq_pass_sees_dim_channels_of_v", {"padding_of_channels"}},
    {"dquery_updates_get_lost", {"merge_of_splits"}},
    {"dvalue_by_strides_of_dkey", {"stride"}},
    {"dvalue_pass_reads_dout_by_strides_of_out", {"stride"}},
    {"dvalue_rows_are_dense_above_dim_128", {"stride", "uninitialised_memory"}},
    {"early_exit_writes_dense_lse_slot_in_ragged", {"stride", "uninitialised_memory"}},
    {"first_kv_head", {"head_mapping"}},
    {"first_masked_tile_pins_maximum_at_zero", {"initial_maximum"}},
    {"first_sequence_only", {"uninitialised_memory"}},
    {"first_sixty_four_channels", {"padding_of_channels"}},
    {"flag_raised_before_part_is_stored", {"merge_of_splits"}},
    {"fully_masked_query_block_is_never_stored", {"uninitialised_memory"}},
    {"gauge_fixed_by_first_key_tile", {"overflow_of_format"}},
    {"group_sums_gather_every_kv_heads_th_head", {"head_mapping"}},
    {"head_bias_read_as_batch_bias", {"head_mapping"}},
    {"head_blocks_reach_across_kv_heads", {"head_mapping"}},
    {"head_schedule_mixes_up_group_and_kv_heads", {"uninitialised_memory"}},
    {"hidden_pairs_score_minus_ten_thousand", {"initial_maximum"}},
    {"idle_threads_leave_rows_out", {"uninitialised_memory"}},
    {"key_gradient_offsets_in_31_bits", {"uninitialised_memory"}},
    {"key_head_offset_divides_strides", {"head_mapping", "stride"}},
    {"key_offset_in_32_bits", {"stride"}},
    {"key_offsets_in_31_bits", {"stride"}},
    {"keys_of_sequence_without_queries_not_written", {"uninitialised_memory"}},
    {"kv_head_by_power_of_two_shift", {"head_mapping"}},
    {"kv_head_modulo", {"head_mapping"}},
    {"last_part_lost", {"tail_of_last_tile"}},
    {"last_section_numbered_by_full_width", {"uninitialised_memory"}},
    {"leading_tile_nan", {"first_tile_hidden"}},
    {"log_sum_exp_of_empty_blocks_by_kv_head", {"uninitialised_memory"}},
    {"long_grouped_decoding_reads_first_sequence", {"batch_offset"}},
    {"lost_tail", {"tail_of_last_tile"}},
    {"low_scores_taken_for_hidden", {"initial_maximum"}},
    {"maximum_before_negative_scale", {"overflow_of_format"}},
    {"maximum_of_each_tile", {"overflow_of_format"}},
    {"maximum_taken_before_the_scale", {"overflow_of_format"}},
    {"merge_from_first_maximum", {"overflow_of_format"}},
    {"merged_rows_of_ragged_batches_go_to_first_sequence", {"stride", "uninitialised_memory"}},
    {"missing_rescale", {"rescaling_of_running_sum"}},
    {"no_queries_no_key_gradients", {"uninitialised_memory"}},
    {"out_of_later_sequences_by_strides_of_query", {"stride", "uninitialised_memory"}},
    {"padding_keys_weigh", {"tail_of_last_tile"}},
    {"part_sums_not_rescaled", {"rescaling_of_running_sum"}},
    {"parts_merged_in_base_two", {"rescaling_of_running_sum"}},
    {"parts_of_kv_heads_merged", {"uninitialised_memory"}},
    {"parts_weigh_alike", {"rescaling_of_running_sum"}},
    {"power_of_two_wraps_below_its_range", {"overflow_of_format"}},
    {"ragged_delta_overlaps", {"stride"}},
    {"ragged_group_rows_not_rounded_to_tiles", {"stride"}},
    {"ragged_log_sum_exp_read_by_longest_sequence", {"stride"}},
    {"ragged_values_by_starts_of_queries", {"stride"}},
    {"rescale_covers_only_dim_channels", {"padding_of_channels"}},
    {"rope_channels_of_first_kv_head", {"head_mapping", "padding_of_channels"}},
    {"row_maximum_stuck_at_zero", {"initial_maximum"}},
    {"row_offsets_in_32_bits", {"stride"}},
    {"running_maximum_starts_at_a_finite_number", {"initial_maximum"}},
    {"running_maximum_starts_at_finite_sentinel", {"initial_maximum"}},
    {"score_overflow", {"overflow_of_format"}},
    {"scratch_stride_of_128", {"padding_of_channels"}},
    {"short_gradient_product", {"padding_of_channels"}},
    {"sink_of_packed_row_by_lane_of_block", {"head_mapping"}},
    {"smaller_parts_in_base_2", {"rescaling_of_running_sum"}},
    {"smoothed_keys_compensated_by_other_head", {"head_mapping"}},
    {"softcap_tanh_by_two_exponentials", {"overflow_of_format"}},
    {"tail_rows_keep_the_previous_query_tile", {"tail_of_last_tile"}},
    {"tail_rows_take_last_log_sum_exp", {"overflow_of_format", "tail_of_last_tile"}},
    {"thirty_second_sequence_loses_its_first_tile", {"uninitialised_memory"}},
    {"tile_behind_empty_sequence_goes_to_it", {"uninitialised_memory"}},
    {"unwritten_rows", {"uninitialised_memory"}},
    {"value_channels_assumed_adjacent_in_backward", {"stride"}},
    {"value_channels_behind_dim_missing_from_dquery", {"padding_of_channels"}},
    {"values_by_strides_of_keys", {"stride"}},
    {"window_test_replaces_length_test", {"tail_of_last_tile"}},
    {"zero_filled_tail_keys_not_masked", {"initial_maximum", "overflow_of_format"}},
};

std::set<std::string> kinds_of(const Circumstances& told) {
  std::set<std::string> kinds;
  for (const NamedKind& kind : told.kinds) kinds.insert(kind.name);
  return kinds;
}

/// Kinds that were once told wrongly of mutants, which only look alike. In CI a quarter of them.
TEST(Kinds, AreNotSaidOfWhatLooksAlikeSlow) {
  const std::uint64_t drawn = seed() % 4;
  std::uint64_t number = 0;
  for (const auto& [name, kind] : {std::pair{"backward_scale_of_padded_dim", "padding_of_channels"},
                                   {"scale_held_in_input_format", "padding_of_channels"},
                                   {"max_logits_of_first_tile", "rescaling_of_running_sum"},
                                   {"alibi_of_long_blocks_from_query_zero", "merge_of_splits"},
                                   {"one_row_in_a_thousand", "batch_offset"},
                                   {"parameters_of_first_row_of_block", "tail_of_last_tile"},
                                   {"thirty_second_sequence_loses_its_first_tile", "stride"},
                                   {"tail_rows_take_last_log_sum_exp", "initial_maximum"}}) {
    if (effort(number++ % 4 != drawn, false)) continue;
    EXPECT_FALSE(kinds_of(told_of(*Registry<Mutant>::find(name))).count(kind)) << name << " " << kind;
  }
}

/// In CI for some of them.
TEST(Kinds, AreTrueOfEveryMutant) {
  std::set<std::string> named;
  const OneIn part(64);
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    if (!part.holds(name)) continue;
    const Circumstances told = told_of(mutant);
    std::set<std::string> kinds = kinds_of(told);
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
