// SPDX-License-Identifier: Apache-2.0
// Formats against numpy and ml_dtypes, to nearest.
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include "reference/dtypes/dtype.hpp"
#include "reference/files/safetensors.hpp"
#include "tests/python_oracle.hpp"

namespace attestone {
namespace {

template <class Number>
Number element(const StoredTensor& tensor, std::size_t position) {
  Number number;
  std::memcpy(&number, tensor.bytes.data() + position * sizeof number, sizeof number);
  return number;
}

TEST(DTypePython, AgreesWithNumpyAndMlDtypes) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  const ScratchFolder folder;
  ask_oracle("reference/dtypes/dtype_oracle.py", folder);
  const Safetensors told = read_safetensors(folder / "codes.safetensors");
  for (const std::string name : {"f16", "bf16", "e4m3", "e4m3fnuz", "e5m2", "e5m2fnuz", "e2m1", "e2m3", "e3m2"}) {
    const StoredTensor &numbers = told.tensor(name + ".numbers"), &codes = told.tensor(name + ".codes");
    const auto count = static_cast<std::size_t>(numbers.shape.front());
    ASSERT_GT(count, 90'000u);  // of 100 000 random ones, less those that are NaN
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = element<double>(numbers, i);
      const std::uint64_t ours = dtype(name).encode(number), theirs = element<std::uint16_t>(codes, i);
      if (std::isnan(dtype(name).decode(ours)))  // the sign of an overflow to NaN is nobody's business
        ASSERT_TRUE(std::isnan(dtype(name).decode(theirs))) << name << " " << std::hexfloat << number;
      else
        ASSERT_EQ(ours, theirs) << name << " " << std::hexfloat << number;
    }
  }
}

}  // namespace
}  // namespace attestone
