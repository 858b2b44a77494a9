// SPDX-License-Identifier: Apache-2.0
// Files that the command line names: what is none, or not what it should be, is said before anything runs.
#include "tests/conformance/program/command_line.hpp"

namespace attestone {
namespace {

TEST_F(CommandLine, RefusesFilesThatAreNone) {
  for (const char* option : {"--suite=", "--plugin="}) {
    const std::vector<std::string> kernel =
        option[2] == 's' ? std::vector<std::string>{flash} : std::vector<std::string>{};
    const auto refused = [&](const std::string& path, const std::string& part) {
      std::vector<std::string> words{"run", option + path, "--property=value_bound"};
      words.insert(words.end(), kernel.begin(), kernel.end());
      if (option[2] == 'p') words.emplace_back(small);
      refuses(words, part);
    };
    refused("directory", "this is a folder, not a file");
    refused("./pipe", "this is a pipe, not a file");
    refused("/dev/null", "this is a device, not a file");
    refused("./loop", "oo many levels of symbolic links");
    refused("./dangling", "there is no such file");
    refused("text/x", option[2] == 's' ? "no suite and no file is called" : "Not a directory");
    refused(std::string(5000, 'x'), "File name too long");
  }
  refuses({"run", "--plugin=text", small}, "text");
  refuses({"run", "--plugin=empty", small}, "empty");
  refuses({"run", "--plugin=sparse", small}, "is no shared library");
  refuses({"run", flash, "--suite=empty"}, "the suite holds no problem");
  refuses({"run", flash, "--suite=sparse"}, "bytes are more than such a file may have");
  refuses({"run", flash, "--suite=smkoe"}, "did you mean 'smoke'?");
}

TEST_F(CommandLine, NamesFileAndLineOfASuite) {
  refuses({"run", flash, "--suite=suite"},
          "attestone: suite:3: unknown mask 'casual'\n  shape=1x1x4x4x4 mask=casual\n                       ^^^^^^\n"
          "did you mean 'causal'?\n");
  refuses({"run", flash, "--suite=bytes"}, "attestone: bytes:1: expected 'x'");
  write("fill", "shape=1x1x4x4x4\n\nshape=1x1x4x4x4 fill=nromal\n");
  refuses({"run", flash, "--suite=fill"}, "attestone: fill:3: unknown fill 'nromal'\n");
  write("many", "random=1\nrandom=1000000\n");
  refuses({"run", flash, "--suite=many"}, "many:2: the suite has more than 1000000 problems");
  write("more", "random=1000001\n");
  refuses({"run", flash, "--suite=more"}, "more:1: this is at most 1000000\n  random=1000001\n         ^^^^^^^");
}

TEST_F(CommandLine, RefusesCapturesBySizeBeforeReading) {
  const auto problem = [](const std::string& file) { return "shape=1x1x4x4x4 fill=capture:" + file + ":layer0:00"; };
  refuses({"run", flash, problem("sparse")}, "the header does not begin with '{'");
  refuses({"run", flash, problem("pipe")}, "this is a pipe");
  refuses({"run", flash, problem("none")}, "there is no such file");
  // A header that is right about 200 GB which are not there.
  const std::uint64_t bytes = (std::uint64_t{200} << 30) / 4 * 4;
  std::string header = R"({"layer0.query":{"dtype":"F32","shape":[)" + std::to_string(bytes / 4) +
                       R"(],"data_offsets":[0,)" + std::to_string(bytes) + "]}}";
  write("huge", std::string{static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0} + header);
  std::filesystem::resize_file(folder / "huge", 8 + header.size() + bytes);
  refuses({"run", flash, problem("huge")}, "are more than half of this machine's memory");
}

TEST_F(CommandLine, FindsAnUnwritableReportBeforeTheRun) {
  refuses({"run", flash, small, "--report=text"}, "the report cannot be written to text");
  refuses({"run", flash, small, "--report=/proc/nothing"}, "the report cannot be written to");
  refuses({"run", flash, small, "--report=loop/x"}, "the report cannot be written to");
  std::filesystem::create_directories(folder / "taken/report.json");
  refuses({"run", flash, small, "--report=taken"}, "there is a folder of that name");
  EXPECT_EQ(run({"run", flash, small, "--property=value_bound", "--report=made/for/it"}).status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "made/for/it/report.json"));
}

}  // namespace
}  // namespace attestone
