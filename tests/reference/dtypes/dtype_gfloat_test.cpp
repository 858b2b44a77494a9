// SPDX-License-Identifier: Apache-2.0
// Every rounding and overflow of the narrow formats against gfloat, at each place where one may change its mind.
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include "reference/dtypes/dtype.hpp"
#include "reference/files/safetensors.hpp"
#include "tests/python_oracle.hpp"

namespace attestone {
namespace {

struct NamedRounding {
  const char* name;
  Rounding rounding;
};
constexpr NamedRounding roundings[] = {{"nearest_even", Rounding::nearest_even},
                                       {"nearest_away", Rounding::nearest_away},
                                       {"toward_zero", Rounding::toward_zero},
                                       {"upward", Rounding::upward},
                                       {"downward", Rounding::downward}};

std::vector<double> numbers(const StoredTensor& tensor) {
  std::vector<double> all(static_cast<std::size_t>(tensor.shape.front()));
  std::memcpy(all.data(), tensor.bytes.data(), all.size() * sizeof all.front());
  return all;
}

TEST(DTypePython, AgreesWithGfloat) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package gfloat";
  const ScratchFolder folder;
  ask_oracle("reference/dtypes/dtype_gfloat_oracle.py", folder);
  const Safetensors told = read_safetensors(folder / "roundings.safetensors");
  for (const std::string name : {"e2m1", "e2m3", "e3m2", "e4m3", "e5m2", "e8m0", "int8"}) {
    const DType& type = dtype(name);
    const std::vector<double> asked = numbers(told.tensor(name + ".numbers"));
    ASSERT_GE(asked.size(), std::size_t{3} << (type.storage_bits() - 1)) << name;
    for (const auto& [rounding_name, rounding] : roundings)
      for (const Overflow overflow : {Overflow::standard, Overflow::saturate}) {
        const std::string how =
            std::string(rounding_name) + (overflow == Overflow::standard ? ".standard" : ".saturate");
        const std::vector<double> theirs = numbers(told.tensor(name + "." + how));
        for (std::size_t i = 0; i < asked.size(); ++i) {
          const double ours = type.round(asked[i], rounding, overflow);
          if (std::isnan(ours) && std::isnan(theirs[i])) continue;
          EXPECT_EQ(ours, theirs[i]) << name << " " << how << " " << std::hexfloat << asked[i];
        }
      }
  }
}

}  // namespace
}  // namespace attestone
