// SPDX-License-Identifier: Apache-2.0
// Our reader against the Python package: what it writes we read alike, and what it refuses we refuse.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <gtest/gtest.h>

#include "reference/files/safetensors.hpp"
#include "reference/user_error.hpp"
#include "tests/python_oracle.hpp"

namespace attestone {
namespace {

/// Our verdict in the words of safetensors_oracle.py.
std::string verdict(const std::filesystem::path& path) {
  try {
    const Safetensors file = read_safetensors(path);
    std::string told = "accepted";
    for (const auto& [name, tensor] : file.tensors()) {
      std::uint64_t checksum = 0, position = 0;
      for (const std::byte byte : tensor.bytes) checksum += ++position * std::to_integer<std::uint64_t>(byte);
      told += fmt::format(" {}:{}:{}:{}", name, tensor.stored_dtype, fmt::join(tensor.shape, "x"), checksum);
    }
    return told;
  } catch (const UserError&) {
    return "refused";
  }
}

TEST(SafetensorsOracle, AgreesWithThePythonPackage) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package safetensors";
  const ScratchFolder folder;
  ask_oracle("reference/files/safetensors_oracle.py", folder);
  std::ifstream cases(folder / "cases.txt");
  int written = 0, refused = 0, stricter = 0;
  std::string name, kind, told;
  while (cases >> name >> kind && std::getline(cases >> std::ws, told)) {
    const std::string ours = verdict(folder / name);
    if (kind == "written") ++written;
    if (told == "refused") ++refused;
    if (kind == "damaged" && ours == "refused" && told != "refused")
      ++stricter;  // unknown fields and duplicate keys, which the package lets pass
    else
      EXPECT_EQ(ours, told) << name;
  }
  RecordProperty("stricter", stricter);
  EXPECT_GT(written, 40);  // of 50: the case list is complete
  EXPECT_GT(refused, 500);
  EXPECT_LT(stricter, 100);
}

}  // namespace
}  // namespace attestone
