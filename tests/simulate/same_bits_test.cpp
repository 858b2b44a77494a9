// SPDX-License-Identifier: Apache-2.0
// Where the order of merges is the same, meshes give the same bits: in both passes, on every mesh of up to 12 devices.
#include <gtest/gtest.h>
#include <map>

#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/simulate/all_meshes.hpp"
#include "tests/simulate/numbers_from_zero.hpp"
#include "tests/simulate/random_mesh.hpp"

namespace attestone {
namespace {

using Codes = std::vector<std::uint64_t>;

/// The backward pass of a kernel that is handed delta, as devices hand it: summed in double, then f32.
void run_with_delta(RandomCall& call, const Kernel& kernel) {
  const Shape& shape = call.problem.shape;
  Tensor delta(dtype("f32"), Extents{shape.batch, shape.heads, shape.queries, 1});
  const View out = call.outputs.out.view(), dout = call.inputs.dout->view();
  for_each_element(delta.view(), [&](index b, index h, index r, index) {
    double sum = 0;
    for (index c = 0; c < shape.value_dim; ++c) sum += out.value(b, h, r, c) * dout.value(b, h, r, c);
    delta.view().set(b, h, r, 0, sum);
  });
  std::optional<VisiblePairs> mask;
  if (kernel.wants_mask_bytes(call.problem)) mask.emplace(call.problem);
  BackwardArguments arguments =
      arguments_of(call.problem, call.inputs, call.outputs, *call.gradients, mask ? &*mask : nullptr);
  arguments.delta = delta.view();
  Device device;
  kernel.backward(call.problem, arguments, device);
}

/// The local kernel by itself. With delta: it takes that in the backward pass, and so devices give it that even where
/// they are alone, in place of the sum of O and dO that it would make by its own arithmetic.
Codes alone(const Problem& problem, const Kernel& kernel) {
  RandomCall call(problem);
  call.run(kernel);
  if (kernel.takes_parts())
    run_with_delta(call, kernel);
  else
    call.run_backward(kernel);
  return call.codes();
}

/// Kernels on one problem, and whether they agree.
class SameBits {
 public:
  explicit SameBits(const std::string& fields) : problem_(parse_problem(fields)) {}

  const Problem& problem() const { return problem_; }
  index compared() const { return compared_; }

  void compare(const MethodOnMesh& one, const MethodOnMesh& other) {
    ++compared_;
    EXPECT_TRUE(codes(one) == codes(other)) << "other bits: " << line(one) << "\n           " << line(other);
  }
  void compare_with_local(const MethodOnMesh& one) { compare(one, {"flash", ""}); }

 private:
  std::string line(const MethodOnMesh& method) const {
    return fmt::format("attestone run --kernel='{}'{}{} '{}'", method.program,
                       method.mesh.empty() ? "" : " --mesh=", method.mesh, problem_.text());
  }
  const Codes& codes(const MethodOnMesh& method) {
    Codes& known = known_[method.program + " " + method.mesh];
    if (!known.empty()) return known;
    if (method.mesh.empty()) return known = alone(problem_, *make_kernel(method.program));
    const auto kernel = on_mesh(method.program, method.mesh);
    EXPECT_TRUE(kernel->takes(problem_)) << line(method) << ": " << kernel->takes(problem_).why;
    RandomCall call(problem_);
    call.run(*kernel);
    call.run_backward(*kernel);
    return known = call.codes();
  }

  Problem problem_;
  std::map<std::string, Codes> known_;
  index compared_ = 0;
};

/// All problems at night; else, if `of` says so, one of them, chosen by the number of heads.
std::vector<SameBits> problems(index heads, index of = effort(5, 1)) {
  std::vector<SameBits> all;
  index number = heads;
  for (const char* fields : {"dtype=bf16", "mask=causal dropout=0.1", "mask=window:4:1 lengths=13+4 query_lengths=9+2",
                             "mask=document:3 score=alibi dtype=f16", "mask=causal layout=bshd score=softcap:5"})
    if (++number % of == 0)
      all.emplace_back(fmt::format("shape=2x{}/{}x9x13x4 pass=forward+backward {}", 2 * heads, heads, fields));
  return all;
}

std::string joined(std::initializer_list<std::string> axes) { return fmt::format("{}", fmt::join(axes, "+")); }
std::string axis(const char* name, index devices) { return fmt::format("{}:{}", name, devices); }

/// Settings of the ring as those of the product.
std::string product(const std::string& variant) { return fmt::format("two_dimensional{}", variant); }
std::string ring(const std::string& variant) { return fmt::format("ring{}", variant); }

TEST(SameBits, OnOneDeviceAsTheLocalKernel) {
  for (SameBits& bits : problems(2, 1)) {
    for (const std::string& method : all_methods())
      for (const std::string& program : all_programs(method))
        for (const char* mesh : {"ring:1", "ulysses:1", "ring:1+ulysses:1", "inner:1+outer:1+batch:1"})
          bits.compare_with_local({program, mesh});
    fmt::print("{}: {} compared\n", bits.problem().text(), bits.compared());
  }
}

/// A kernel that takes no delta gets O, and gives its own bits in both passes.
TEST(SameBits, OnOneDeviceAsALocalKernelThatTakesNoParts) {
  const auto local = std::make_shared<NumbersFromZero>(make_kernel("flash"), true);
  for (const char* fields : {"", "mask=causal dtype=bf16", "mask=window:4:1 lengths=13+4 query_lengths=9+2"}) {
    const Problem problem = parse_problem(fmt::format("shape=2x4/2x9x13x4 pass=forward+backward {}", fields));
    const Codes own = alone(problem, *local);
    for (const MethodOnMesh& method :
         {MethodOnMesh{"ring", "ring:1"}, MethodOnMesh{"ulysses", "ulysses:1+batch:2"},
          MethodOnMesh{"two_dimensional", "ring:1+ulysses:2"}, MethodOnMesh{"all_gather", "ring:1"},
          MethodOnMesh{"token_ring", "batch:2"}, MethodOnMesh{"double_ring", "inner:1+outer:1"}}) {
      const MeshKernel kernel(make_rank_program(method.program), local, mesh_of(method.mesh));
      RandomCall call(problem);
      call.run(kernel);
      call.run_backward(kernel);
      EXPECT_TRUE(call.codes() == own) << method.program << " on " << method.mesh << ": " << problem.text();
    }
  }
}

/// Sequences and heads never meet: where they lie is seen by no sum. Without a ring the bits are those of the local
/// kernel, else those of the ring alone, if that deals its rows alike: zigzag and striped do, blocks of fewer rows than
/// others are elsewhere.
TEST(SameBits, WhateverTheDegreeOfUlyssesAndTheBatch) {
  index compared = 0;
  for (index ulysses = 1; ulysses <= 12; ++ulysses)
    for (SameBits& bits : problems(ulysses)) {
      for (const GridMesh& mesh : all_meshes("two_dimensional", 12)) {
        if (mesh.ulysses != ulysses) continue;
        const std::string alone = axis("ring", mesh.ring);
        for (const std::string variant : {":placement=zigzag", ":placement=striped"})
          bits.compare({product(variant), mesh.text}, {ring(variant), alone});
        bits.compare({"two_dimensional", mesh.text},
                     {"two_dimensional", joined({axis("ulysses", mesh.ulysses), alone})});
        if (mesh.ring > 1) continue;
        bits.compare_with_local({"two_dimensional", mesh.text});
        bits.compare_with_local({"ulysses", mesh.text});
      }
      compared += bits.compared();
    }
  fmt::print("{} compared\n", compared);
}

TEST(SameBits, WithARingOfOneAsUlyssesAndWithGroupsOfOneAsTheRing) {
  index compared = 0;
  for (SameBits& bits : problems(2)) {
    for (const std::string& variant : variants_with_gradients("ring"))
      for (index devices = 1; devices <= 12; devices += effort(3, 1))
        for (const std::string& mesh :
             {joined({axis("ulysses", 1), axis("ring", devices)}), joined({axis("ring", devices), axis("ulysses", 1)})})
          bits.compare({product(variant), mesh}, {ring(variant), axis("ring", devices)});
    for (const std::string& variant : variants_with_gradients("ulysses"))
      for (const index devices : {1, 2, 4})
        if (devices < 4 || variant.find("copied") != std::string::npos)
          for (const std::string& mesh : {joined({axis("ulysses", devices), axis("ring", 1)}),
                                          joined({axis("ring", 1), axis("ulysses", devices)})})
            bits.compare({product(variant), mesh}, {fmt::format("ulysses{}", variant), axis("ulysses", devices)});
    compared += bits.compared();
  }
  fmt::print("{} compared\n", compared);
}

/// Heads never meet, so it is not seen which of them are exchanged together.
TEST(SameBits, InChunksOfHeadsAsAtOnce) {
  index compared = 0;
  for (SameBits& bits : problems(12)) {
    for (const std::string mesh : {"ulysses:2+ring:1", "ulysses:3+ring:2", "ring:3+ulysses:4"})
      for (const std::string settings : {"", ":heads=uneven:parts=output", ":placement=zigzag"})
        for (const index chunks : {2, 3, 5, 100})
          bits.compare({product(fmt::format("{}:chunks={}", settings, chunks)), mesh}, {product(settings), mesh});
    compared += bits.compared();
  }
  fmt::print("{} compared\n", compared);
}

/// Answers of all keys are merged at once, in the order of a ring. Forward: backward dK and dV are one sum.
TEST(SameBits, WhetherKeysTravelOrAreSplit) {
  for (const char* fields : {"", "dtype=bf16 dropout=0.1", "score=alibi dtype=f16", "lengths=13+4 query_lengths=9+2"})
    for (index devices = 1; devices <= 12; devices += effort(2, 1))
      for (const std::string& variant : variants_with_gradients("split_keys")) {
        const Problem problem = parse_problem(fmt::format("shape=2x4/2x9x13x4 {}", fields));
        RandomCall split(problem), travelling(problem);
        split.run(*on_mesh("split_keys" + variant, axis("ring", devices)));
        travelling.run(*on_mesh("ring" + variant, axis("ring", devices)));
        EXPECT_TRUE(split.codes() == travelling.codes()) << devices << " " << variant << " " << fields;
      }
}

/// Masked keys weigh nothing. Forward only; the costs of each run are compared with their closed form as well.
TEST(SameBits, WhetherBlocksBeyondALineAreMaskedOrSkipped) {
  for (const char* fields : {"", "mask=causal dtype=bf16 dropout=0.1", "mask=window:4:1 lengths=13+4 query_lengths=9+2",
                             "mask=document:3 score=alibi"})
    for (index devices = 1; devices <= 12; ++devices)
      for (const char* settings : {"", ":placement=zigzag:parts=output", ":merge=rescaled_sums:messages=fused"}) {
        const Problem problem = parse_problem(fmt::format("shape=2x4/2x9x13x4 {}", fields));
        RandomCall masked(problem), skipped(problem);
        masked.run(*on_mesh(fmt::format("ring:hops=to_both_ends{}", settings), axis("ring", devices)));
        skipped.run(*on_mesh(fmt::format("open_line{}", settings), axis("ring", devices)));
        EXPECT_TRUE(masked.codes() == skipped.codes()) << devices << " " << settings << " " << fields;
      }
}

/// A group of two exchanges; what its members hold are the shards of a line of as many places.
TEST(SameBits, OfALineInsideUlyssesAsOfTheLine) {
  for (const char* settings : {"", ":placement=zigzag:parts=output", ":merge=rescaled_sums:messages=fused"})
    for (const index devices : {1, 2, 3, 4, 6}) {
      RandomCall exchanged(parse_problem("shape=2x4/2x24x24x4 mask=causal")), alone(exchanged.problem);
      exchanged.run(*on_mesh(fmt::format("two_dimensional:hops=to_both_ends{}", settings),
                             fmt::format("ulysses:2+ring:{}", devices)));
      alone.run(*on_mesh(fmt::format("open_line{}", settings), axis("ring", devices)));
      EXPECT_TRUE(exchanged.codes() == alone.codes()) << devices << " " << settings;
    }
}

/// Heads know nothing of each other, and the call of each has all keys.
TEST(SameBits, HoweverManyChunksOfHeadsAreGathered) {
  for (SameBits& bits : problems(2))
    for (index devices = 1; devices <= 12; devices += effort(3, 1))
      for (const char* chunks : {":chunks=2", ":chunks=3"})
        bits.compare({fmt::format("all_gather{}", chunks), axis("ring", devices)},
                     {"all_gather", axis("ring", devices)});
}

/// A double ring of one ring, or of rings of one device.
TEST(SameBits, OfADoubleRingWithOneDeviceAlongAnAxisAsTheRing) {
  index compared = 0;
  for (SameBits& bits : problems(2)) {
    for (const std::string& variant : variants_with_gradients("double_ring"))
      for (index devices = 1; devices <= 12; devices += effort(3, 1))
        for (const std::string& mesh : {joined({axis("inner", devices), axis("outer", 1)}), axis("outer", devices)})
          bits.compare({fmt::format("double_ring{}", variant), mesh}, {ring(variant), axis("ring", devices)});
    for (const std::string& variant : variants_with_gradients("double_ring"))
      bits.compare({fmt::format("double_ring{}", variant), "inner:3+outer:2"},
                   {fmt::format("double_ring{}", variant), "outer:2+inner:3"});
    compared += bits.compared();
  }
  fmt::print("{} compared\n", compared);
}

/// Answers return in the order in which a ring meets keys, and shares of dK and dV are added in that of their ring.
/// Where nothing is masked blocks are the same as well.
TEST(SameBits, WhetherQueriesOrKeysTravel) {
  for (const char* fields : {"", "dtype=bf16 dropout=0.1", "score=alibi dtype=f16", "lengths=13+4 query_lengths=9+2"}) {
    SameBits bits(fmt::format("shape=2x4/2x9x13x4 pass=forward+backward {}", fields));
    for (const std::string& variant : variants_with_gradients("token_ring"))
      for (index devices = 1; devices <= 12; devices += effort(3, 1))
        bits.compare({fmt::format("token_ring{}", variant), axis("ring", devices)},
                     {ring(variant), axis("ring", devices)});
  }
}

/// Fused messages, and messages more than needed, change no bits.
TEST(SameBits, HoweverMessagesGo) {
  index compared = 0;
  for (SameBits& bits : problems(2)) {
    for (index devices = 2; devices <= 12; ++devices)
      for (const char* variant : {":hops=all", ":messages=fused", ":hops=all:messages=fused"})
        bits.compare({ring(variant), axis("ring", devices)}, {"ring", axis("ring", devices)});
    compared += bits.compared();
  }
  fmt::print("{} compared\n", compared);
}

/// Each order of the axes, with settings of both halves.
TEST(SameBits, WhateverAxisIsInner) {
  index compared = 0;
  for (SameBits& bits : problems(2))
    for (const std::string& program : all_programs("two_dimensional")) {
      if (program.find("copied") == std::string::npos) continue;
      for (index ulysses = 2; ulysses <= 4; ulysses += 2)
        for (index places = 2; places * ulysses <= 12; ++places) {
          const std::string u = axis("ulysses", ulysses), r = axis("ring", places);
          bits.compare({program, joined({u, r})}, {program, joined({r, u})});
          ++compared;
        }
    }
  fmt::print("{} compared\n", compared);
}

}  // namespace
}  // namespace attestone
