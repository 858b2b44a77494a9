// SPDX-License-Identifier: Apache-2.0
// Where tensors lie changes no verdict on a right kernel, and convicts those that look in the wrong place.
#include <gtest/gtest.h>
#include <omp.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/backends/published_kernels.hpp"

namespace attestone {
namespace {

constexpr const char* problems[]{
    "shape=2x4/2x9x17x8:5 lengths=17+6 mask=causal layout=transposed pass=forward+backward",
    "shape=2x4/2x9x17x8:5 mask=causal layout=bhsd+key/transposed+value/broadcast+out/strided pass=forward+backward",
    "shape=1x2x7x7x8 layout=packed_qkv+dout/transposed+dquery/bhsd+dvalue/strided dtype=bf16 pass=forward+backward",
    "shape=2x2x5x9x8 layout=broadcast+query/transposed+dkey/bshd score=bias:head dtype=f16 pass=forward+backward",
    "shape=2x2x5x9x8 lengths=9+3 spare_rows=3 mask=chunk:4|blocks:2 layout=bshd pass=forward+backward deterministic=0",
    "shape=3x2x5x9x8 lengths=9+0+3 query_lengths=5+2+0 spare_rows=4 layout=ragged pass=forward+backward",
    "shape=1x4x6x13x8 spare_rows=1 mask=tree:3&~indices:2 layout=strided+out/transposed",
    "shape=1x2x70x70x16 mask=block_causal:32 layout=transposed fill=outliers pass=forward+backward"};

TEST(Places, AreNoFaultOfARightKernel) {
  for (const std::string& name : names_of_kernels_with_gradients())
    for (const char* text : problems) {
      const KernelRun run = examine(make_kernel(name), {.problems = {parse_problem(text)}, .explain = false});
      for (const Failure& failure : run.failures)
        ADD_FAILURE() << name << " " << text << "\n" << failure.verdict.reason << ": " << failure.verdict.evidence;
      EXPECT_TRUE(run.own_failures.empty()) << name << " " << text << "\n" << run.own_failures.front();
      EXPECT_GT(run.counts.at(Outcome::passed), 10) << name << " " << text;
    }
}

Outcome outcome(const SharedKernel& kernel, const char* property, const char* problem) {
  return examine_case(*kernel, *Registry<Property>::find(property), parse_problem(problem)).outcome;
}

/// Flash, told that K is packed.
void assumes_packed_keys(const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
  const ConstView& key = arguments.key;
  Arguments packed = arguments;
  packed.key = ConstView(key.data(), key.dtype(), key.extents(), packed_strides(key.extents()));
  flash.forward(problem, packed, device);
}

TEST(Places, ConvictAKernelThatAssumesThem) {
  const SharedKernel kernel = changed(make_kernel("flash"), {.forward = assumes_packed_keys});
  EXPECT_EQ(outcome(kernel, "value_bound", "shape=1x2x9x17x8"), Outcome::passed);
  EXPECT_EQ(outcome(kernel, "value_bound", "shape=1x2x9x17x8 layout=bhsd+value/transposed"), Outcome::passed);
  EXPECT_EQ(outcome(kernel, "value_bound", "shape=1x2x9x17x8 layout=bhsd+key/transposed"), Outcome::failed);
}

ConstView one_row_longer(const ConstView& view) {
  Extents extents = view.extents();
  ++extents[2];
  return ConstView(view.data(), view.dtype(), extents, view.strides());
}

/// Flash over one key more than there are.
void reads_one_key_more(const Kernel& flash, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem more = problem;
  ++more.shape.keys;
  Arguments wrong = arguments;
  wrong.key = one_row_longer(arguments.key), wrong.value = one_row_longer(arguments.value);
  flash.forward(more, wrong, device);
}

TEST(SpareRows, ConvictAKernelThatReadsThem) {
  const SharedKernel kernel = changed(make_kernel("flash"), {.forward = reads_one_key_more});
  EXPECT_EQ(outcome(kernel, "value_bound", "shape=1x2x9x17x8 spare_rows=1"), Outcome::failed);
  EXPECT_EQ(outcome(make_kernel("flash"), "value_bound", "shape=1x2x9x17x8 spare_rows=1"), Outcome::passed);
}

/// Flash, and a number in the first row that belongs to no sequence.
void writes_behind_all_sequences(const Kernel& flash, const Problem& problem, const Arguments& arguments,
                                 Device& device) {
  flash.forward(problem, arguments, device);
  const index rows = arguments.out.row_map().starts()->back();
  arguments.out.data()[arguments.out.dtype().bytes(rows * arguments.out.strides()[2])] = std::byte{1};
}

TEST(SpareRows, BehindRaggedSequencesAreWatched) {
  const char* problem = "shape=2x2x5x9x8 lengths=9+4 layout=ragged spare_rows=3";
  const SharedKernel kernel = changed(make_kernel("flash"), {.forward = writes_behind_all_sequences});
  EXPECT_EQ(outcome(make_kernel("flash"), "guards", problem), Outcome::passed);
  EXPECT_EQ(outcome(kernel, "guards", problem), Outcome::failed);
}

/// Flash, which leaves the last query out if there are more threads than queries.
void shares_rows_among_threads(const Kernel& flash, const Problem& problem, const Arguments& arguments,
                               Device& device) {
  flash.forward(problem, arguments, device);
  const index last = problem.shape.queries - 1;
  if (omp_get_max_threads() > problem.shape.queries) arguments.out.set(0, 0, last, 0, 0);
}

TEST(Threads, AreAsManyAsTheProblemAsksFor) {
  const SharedKernel kernel = changed(make_kernel("flash"), {.forward = shares_rows_among_threads});
  EXPECT_EQ(outcome(kernel, "value_bound", "shape=1x1x5x9x8 threads=5"), Outcome::passed);
  EXPECT_EQ(outcome(kernel, "value_bound", "shape=1x1x5x9x8 threads=6"), Outcome::failed);
  EXPECT_EQ(outcome(make_kernel("flash"), "value_bound", "shape=1x1x5x9x8 threads=6"), Outcome::passed);
}

TEST(Deterministic, ZeroAsksForNoRepeats) {
  const std::string asks = "shape=1x2x9x17x8 pass=forward+backward";
  const Property& repeats = *Registry<Property>::find("gradient_repeats");
  EXPECT_EQ(repeats.inapplicable(parse_problem(asks)), "");
  EXPECT_EQ(repeats.inapplicable(parse_problem(asks + " deterministic=0")), "nobody asks for repeatable gradients");
}

}  // namespace
}  // namespace attestone
