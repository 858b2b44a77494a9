// SPDX-License-Identifier: Apache-2.0
// Messages of the pipe: what is written is what the strict reader of safetensors reads, and no bytes that come from
// outside do more than end in a fault.
#include "backends/plugins/program/frame.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <thread>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/program/program_request.hpp"
#include "backends/plugins/program/program_worker.hpp"
#include "conformance/problems/fill.hpp"
#include "tests/scratch_folder.hpp"

namespace attestone {
namespace {

Safetensors content_of(const std::vector<std::byte>& message) {
  EXPECT_EQ(frame_size(std::span(message).first<frame_size_bytes>()), message.size() - frame_size_bytes);
  return Safetensors({message.begin() + frame_size_bytes, message.end()}, "message");
}

TEST(Frame, HoldsTextsAndTensors) {
  const Problem problem =
      parse_problem("shape=2x4/2x5x9x8:6 mask=causal score=bias:head&sink:head dtype=bf16 lengths=9+0");
  const Inputs inputs = filled(problem);
  Outputs outputs(problem);
  const VisiblePairs mask(problem);
  const Safetensors read = content_of(forward_request(problem, arguments_of(problem, inputs, outputs, &mask)).bytes());
  EXPECT_EQ(read.metadata().at("problem"), problem.text());
  EXPECT_EQ(read.metadata().at("mask_form"), "band");
  EXPECT_EQ(read.metadata().at("causal"), "1");
  EXPECT_EQ(read.tensor("query").stored_dtype, "BF16");
  EXPECT_EQ(read.tensor("value").shape, (std::vector<index>{2, 2, 9, 6}));
  EXPECT_TRUE(std::ranges::equal(read.tensor("value").bytes, inputs.value.bytes()));
  EXPECT_EQ(read.tensor("bias").shape, (std::vector<index>{1, 4, 5, 9}));
  EXPECT_TRUE(std::ranges::equal(read.tensor("bias").bytes, inputs.bias->bytes()));
  EXPECT_EQ(read.tensor("sink").shape, (std::vector<index>{4}));
  EXPECT_EQ(read.tensor("mask").shape, (std::vector<index>{2, 4, 5, 9}));
  EXPECT_EQ(read.tensor("key_lengths").shape, (std::vector<index>{2}));
}

TEST(Frame, KeepsWhatIsNoText) {
  Frame frame;
  frame.texts["name"] = "\"\\ \xff \x01";
  EXPECT_EQ(content_of(frame.bytes()).metadata().size(), 1u);
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(FrameReader, TakesAnAnswerInAnyPieces) {
  const std::vector<std::byte> message = describe_request().bytes();
  for (std::size_t piece = 1; piece <= message.size(); ++piece) {
    FrameReader reader(message.size());
    for (std::size_t at = 0; at < message.size(); at += piece) {
      EXPECT_FALSE(reader.complete());
      reader.take(std::span(message).subspan(at, std::min(piece, message.size() - at)));
    }
    ASSERT_TRUE(reader.complete());
    EXPECT_EQ(reader.content().size(), message.size() - frame_size_bytes);
  }
}

TEST(FrameReader, NamesWhatIsNoAnswer) {
  try {
    FrameReader(1000).take(bytes_of("loading weights"));
    FAIL() << "a size made of letters was taken";
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.reason(), "wrong-protocol");
    EXPECT_NE(std::string(fault.what()).find("'loading weights'"), std::string::npos) << fault.what();
  }
  std::vector<std::byte> message = describe_request().bytes();
  message.push_back(std::byte{'!'});
  EXPECT_THROW(FrameReader(1000).take(message), KernelFault);
}

TEST(ProgramWorker, HearsWhatComesBeforeItIsAsked) {
  const ScratchFolder folder;
  const auto answered = folder / "answered", said = folder / "said";
  const std::string program = fmt::format(
      R"(head -c 8 >/dev/null; printf '\012\0\0\0\0\0\0\0\002\0\0\0\0\0\0\0{{}}'
         until [ -e '{}' ]; do sleep 0.01; done; printf early; touch '{}'; cat >/dev/null)",
      answered.string(), said.string());
  ProgramWorker worker(program, {.seconds = 10});
  Frame request;
  request.texts["call"] = "describe";
  constexpr std::uint64_t most_bytes = 100;
  EXPECT_NO_THROW(worker.ask(request, most_bytes));
  std::ofstream(answered).flush();
  for (int patience = 0; patience < 1000 && !std::filesystem::exists(said); ++patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  try {
    worker.ask(request, most_bytes);
    ADD_FAILURE() << "not heard";
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.reason(), "wrong-protocol");
    EXPECT_STREQ(fault.what(), "'early' came before it was asked");
  }
}

}  // namespace
}  // namespace attestone
