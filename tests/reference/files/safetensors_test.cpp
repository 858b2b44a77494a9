// SPDX-License-Identifier: Apache-2.0
// A safetensors file is read exactly, and every way of breaking one is named.
#include "reference/files/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include "reference/user_error.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

/// A whole file: the header behind its size, and `data` zero bytes.
std::vector<std::byte> file_of(std::string_view header, std::size_t data) {
  std::string all;
  for (int byte = 0; byte < 8; ++byte) all += static_cast<char>(header.size() >> (8 * byte) & 0xFF);
  return bytes_of(all + std::string(header) + std::string(data, '\0'));
}

std::string complaint(std::vector<std::byte> content) {
  try {
    Safetensors(std::move(content), "x.safetensors");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string complaint(std::string_view header, std::size_t data) { return complaint(file_of(header, data)); }

constexpr std::string_view good =
    R"({"__metadata__":{"k":"v"},"b":{"dtype":"BF16","shape":[],"data_offsets":[24,26]},)"
    R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"e":{"dtype":"I64","shape":[0,7],"data_offsets":[24,24]}}  )";

TEST(Safetensors, ReadsTensorsAndMetadata) {
  const Safetensors file(file_of(good, 26), "x.safetensors");
  EXPECT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensor("a").shape, (std::vector<index>{2, 3}));
  EXPECT_EQ(file.tensor("a").dtype(), &dtype("f32"));
  EXPECT_EQ(file.tensor("a").bytes.size(), 24u);
  EXPECT_EQ(file.tensor("b").dtype(), &dtype("bf16"));
  EXPECT_EQ(file.tensor("e").stored_dtype, "I64");
  EXPECT_EQ(file.tensor("e").dtype(), nullptr);
  EXPECT_EQ(file.metadata().at("k"), "v");
}

TEST(Safetensors, AMissingTensorIsNamed) {
  const Safetensors file(file_of(good, 26), "x.safetensors");
  EXPECT_THROW(file.tensor("c"), UserError);
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::vector<std::byte> whole = file_of(good, 26);
  ASSERT_EQ(complaint(whole), "");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(complaint({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
}

struct Malformed {
  const char* says;
  const char* header;
  std::size_t data;
};

TEST(Safetensors, EveryBrokenRuleIsNamed) {
  const Malformed cases[] = {
      {"does not begin with '{'", R"( {})", 0},
      {"does not begin with '{'", "", 0},
      {"is no JSON", R"({)", 0},
      {"is no JSON", R"({}x)", 0},
      {"is no JSON", "{\"\xff\":{}}", 0},
      {"key \"a\" twice",
       R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
       2},
      {"key \"dtype\" twice", R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1},
      {"key \"k\" twice", R"({"__metadata__":{"k":"v","k":"w"}})", 0},
      {"is no string", R"({"__metadata__":{"k":1}})", 0},
      {"is no object", R"({"__metadata__":[]})", 0},
      {"too deeply", R"({"a":{"shape":[[[[1]]]]}})", 0},
      {"other fields", R"({"a":{"dtype":"U8","shape":[1]}})", 0},
      {"other fields", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":0}})", 1},
      {"other fields", R"({"a":7})", 0},
      {"unknown dtype 'f32'", R"({"a":{"dtype":"f32","shape":[1],"data_offsets":[0,4]}})", 4},
      {"no string", R"({"a":{"dtype":1,"shape":[1],"data_offsets":[0,4]}})", 4},
      {"no list", R"({"a":{"dtype":"U8","shape":1,"data_offsets":[0,1]}})", 1},
      {"no whole number", R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1},
      {"no whole number", R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", 1},
      {"no whole number", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551616]}})", 1},
      {"more than 2^56", R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0},
      {"no two numbers", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}})", 1},
      {"ends before it begins", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", 1},
      {"has 4 bytes, but its dtype and shape need 8", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4},
      {"ends within a byte", R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", 2},
      {"hole in front of tensor \"a\"", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2},
      {"overlaps",
       R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
       3},
      {"take 1 bytes, but the file holds 2", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 2},
      {"take 1 bytes, but the file holds 0", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 0},
  };
  for (const Malformed& broken : cases) {
    const std::string said = complaint(broken.header, broken.data);
    EXPECT_NE(said.find(broken.says), std::string::npos) << broken.header << "\n" << said;
    EXPECT_TRUE(said.starts_with("x.safetensors: ")) << said;
  }
}

TEST(Safetensors, AZeroByteDoesNotEndTheHeader) {
  EXPECT_NE(complaint(std::string_view("{}\0", 3), 0).find("zero byte"), std::string::npos);
}

TEST(Safetensors, AnOversizedHeaderIsRefusedBeforeItIsRead) {
  std::vector<std::byte> content(100'000'009, std::byte{' '});
  const std::uint64_t size = 100'000'001;
  std::memcpy(content.data(), &size, sizeof size);
  EXPECT_NE(complaint(content).find("more than the 100000000 allowed"), std::string::npos);
}

TEST(Safetensors, TheDigestSeesEveryBit) {
  std::vector<std::byte> content = file_of(good, 26);
  const std::string before = Safetensors(content, "x").digest();
  content.back() = std::byte{1};
  EXPECT_NE(Safetensors(content, "x").digest(), before);
  EXPECT_EQ(before.size(), 16u);
}

TEST(Safetensors, ReadsTheCapture) {
  const Safetensors file = read_safetensors(source_folder() + "/captures/minilm.safetensors");
  EXPECT_EQ(file.tensors().size(), 9u);
  EXPECT_EQ(file.tensor("layer5.value").shape, (std::vector<index>{1, 12, 178, 32}));
  EXPECT_EQ(file.metadata().at("script"), "captures/capture_minilm.py");
}

TEST(Safetensors, AFileThatIsNoneIsNamed) {
  EXPECT_THROW(read_safetensors("no/such/file"), UserError);
  EXPECT_THROW(read_safetensors(source_folder()), UserError);
  EXPECT_THROW(read_safetensors(source_folder() + "/LICENSE"), UserError);
}

}  // namespace
}  // namespace attestone
