// SPDX-License-Identifier: Apache-2.0
// Codes and scales of every quantizer, bit for bit, against a second implementation in numpy.
#include "backends/cpu/quantized/quantizer.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include "backends/cpu/quantized/shared_scales.hpp"
#include "reference/files/safetensors.hpp"
#include "tests/effort.hpp"
#include "tests/python_oracle.hpp"

namespace attestone {
namespace {

struct NamedSharing {
  const char* name;
  Sharing sharing;
};
constexpr NamedSharing sharings[] = {
    {"tensor", {Sharing::Of::tensor}},
    {"token", {Sharing::Of::block, 1}},
    {"block64", {Sharing::Of::block, 64}},
    {"block128", {Sharing::Of::block, 128}},
    {"query_thread16", {Sharing::Of::query_thread, 16}},
    {"query_thread32", {Sharing::Of::query_thread, 32}},
    {"key_thread64", {Sharing::Of::key_thread, 64}},
    {"key_thread128", {Sharing::Of::key_thread, 128}},
    {"channel", {Sharing::Of::channel}},
    {"sixteen", {Sharing::Of::channels, 16}},
    {"thirty_two", {Sharing::Of::channels, 32}},
};

std::vector<float> floats(const StoredTensor& tensor) {
  std::vector<float> all(tensor.bytes.size() / sizeof(float));
  std::memcpy(all.data(), tensor.bytes.data(), tensor.bytes.size());
  return all;
}

/// The same bits, or both NaN.
bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

void expect_agreement(const Safetensors& told, const std::string& name, const Quantizer& quantizer,
                      const Sharing& sharing) {
  const StoredTensor& rows = told.tensor(name + ".rows");
  const std::vector<float> x = floats(rows), numbers = floats(told.tensor(name + ".numbers")),
                           scales = floats(told.tensor(name + ".scales"));
  const index channels = rows.shape[1], count = rows.shape[0];
  Device device;
  CodedRows ours(device, count, channels, sharing);
  ours.take(x, quantizer);
  EXPECT_EQ(device.peak().bytes, CodedRows::bytes(count, channels, sharing)) << name;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const index at = static_cast<index>(i);
    const float scale = ours.scale(at / channels, at % channels), number = ours.numbers()[i];
    ASSERT_TRUE(same(scale, scales[i])) << name << " " << i << ": scale " << std::hexfloat << scale << ", not "
                                        << scales[i];
    if (x[i] == 0 && std::isnan(numbers[i])) {  // the source's 0 times infinity
      ASSERT_EQ(number, 0) << name << " " << i;
      continue;
    }
    if (std::isinf(2.25f / scale) && std::fabs(numbers[i]) == 448) {  // its other numbers times infinity
      ASSERT_LE(std::fabs(number), 448) << name << " " << i;
      continue;
    }
    ASSERT_TRUE(number == numbers[i] || same(number, numbers[i]))
        << name << " " << i << ": " << number << ", not " << numbers[i] << ", of " << std::hexfloat << x[i];
  }
}

TEST(Quantizers, AgreeWithNumpy) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 100); ++seed) {
    const ScratchFolder folder;
    ask_oracle("backends/cpu/quantized/quantizer_oracle.py", folder, std::to_string(seed));
    const Safetensors told = read_safetensors(folder / "codes.safetensors");
    for (const Quantizer& quantizer : quantizers()) {
      int asked = 0;
      for (const auto& [sharing_name, sharing] : sharings) {
        const std::string name = std::string(quantizer.name) + "." + sharing_name;
        if (!told.tensors().contains(name + ".rows")) continue;
        expect_agreement(told, name, quantizer, sharing);
        ++asked;
      }
      EXPECT_GT(asked, 0) << quantizer.name;
    }
  }
}

}  // namespace
}  // namespace attestone
