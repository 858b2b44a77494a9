// SPDX-License-Identifier: Apache-2.0
// The grammar, and the slips.
#include "tests/conformance/program/clumsy_lines.hpp"

#include <algorithm>
#include <sys/stat.h>

#include "conformance/program/commands/vocabulary.hpp"
#include "reference/problem/problem.hpp"

namespace attestone {
namespace {

using Words = std::vector<std::string>;

const Words paths{"directory", "pipe",        "loop",          "dangling", "text",    "empty",
                  "suite",     "wrong_suite", "bytes",         "sparse",   "no/such", "unread",
                  "/dev/null", "/dev/full",   "/dev/zero",     ".",        "text/x",  "/proc/self",
                  "file name", "-",           "d\xc3\xa4\xff", "~"};
// To be written into.
const Words folders{"report", "made", "directory", "text", "pipe", "loop", "dangling", "no\xff", "unread"};
const Words numbers{"0",
                    "1",
                    "2",
                    "3",
                    "7",
                    "-1",
                    "+3",
                    "007",
                    "1.5",
                    "1e999",
                    "nan",
                    "inf",
                    "-inf",
                    "0x10",
                    "1e-400",
                    "18446744073709551615",
                    "18446744073709551616",
                    "9223372036854775807",
                    "2147483648",
                    "2147483649",
                    "99999999999999999999999999",
                    "1_000",
                    "1,5",
                    "\xef\xbc\x91",
                    ""};
const Words amounts{"60s", "2s",     "5m",   "1h",   "0s", "-1s",      "60",
                    "s",   "1e999s", "nans", "512M", "2G", "9999999T", "1e300G"};
const Words odd_words{"",
                      "-",
                      "--",
                      "---",
                      "=",
                      "--=",
                      "-h",
                      "--help",
                      "--version",
                      "-x",
                      "-kflash",
                      "'",
                      "\"",
                      "\\",
                      "*",
                      "$(",
                      "%s%n",
                      "\t",
                      "\n",
                      "\x01",
                      "\x7f",
                      "\x1b[31m",
                      "\xff",
                      "\xc3",
                      "\xe2\x80\xae",
                      "@file",
                      "[a,b]",
                      "{}",
                      ";",
                      "&",
                      "run",
                      "help",
                      "shape=1x1x4x4x4",
                      "mask=causal"};

Words names_of(const std::string& kind) {
  static const auto all = vocabulary();
  Words names;
  for (const Word& word : all.at(kind)) names.push_back(word.name.substr(0, word.name.find(':')));
  return names;
}

Words kinds() {
  Words all;
  for (const auto& [kind, words] : vocabulary()) all.push_back(kind);
  return all;
}

}  // namespace

/// Small, so that judging it is quick.
std::string ClumsyLines::problem() {
  const Words extents{"0", "1", "2", "3", "5", "8"},
      masks{"causal", "window:2:0", "~causal", "full", "(causal|prefix:3)&dense:50"};
  const Words scores{"softcap:30", "alibi", "bias:full", "sink:head", "softcap:3&sink:head"};
  std::string shape = "shape=" + any({"1", "2"}) + "x" + any({"1", "2", "4/2"});
  for (int i = 0; i < 3; ++i) shape += "x" + (i == 2 ? any({"1", "4", "8", "4:2"}) : any(extents));
  Words fields{shape};
  const auto sometimes = [&](const std::string& field) {
    if (one_in(4)) fields.push_back(field);
  };
  sometimes("mask=" + any(masks)), sometimes("score=" + any(scores));
  sometimes("dtype=" + any({"f32", "bf16", "f16", "f64", "f32,bf16", "bf16>f32", "e4m3"}));
  sometimes("fill=" + any(names_of("fills"))), sometimes("layout=" + any(names_of("layouts")));
  sometimes("scale=" + any(numbers)), sometimes("seed=" + any(numbers)),
      sometimes("dropout=" + any({"0.1", "0", "1", "2"}));
  sometimes("pass=" + any({"forward", "forward+backward", "backward"})),
      sometimes("lengths=" + any({"1", "1+1", "9", "0"}));
  if (one_in(12)) fields.push_back("fill=capture:" + any(paths) + ":layer0:00");
  std::shuffle(fields.begin(), fields.end(), random_);
  std::string text;
  for (const std::string& field : fields) text += (text.empty() ? "" : " ") + field;
  return text;
}

ClumsyLines::Words ClumsyLines::run() {
  Words words{"run"};
  const auto sometimes = [&](std::size_t n, const std::string& word) {
    if (one_in(n)) words.push_back(word);
  };
  const std::size_t door = below(8);
  if (door == 0)
    words.push_back("--plugin=" + any(paths));
  else if (door == 1)
    words.push_back("--program=" +
                    any({"cat", "true", "false", "exit 3", "nothing_of_that_name", "echo hello", "kill $$"}));
  else
    words.push_back("--kernel=" + any({"flash", "dense", "chunked", "flash:block_q=4", "flash,dense", "lost_tail"}));
  words.push_back("--property=" + (one_in(4) ? any(names_of("properties")) : "value_bound"));
  words.push_back("--budget=" + (one_in(8) ? any(amounts) : "2s"));
  if (one_in(6))
    words.push_back("--suite=" + (one_in(3) ? any({"smoke", "ci", "regressions"}) : any(paths)));
  else
    words.push_back(problem());
  sometimes(6, "--seed=" + any(numbers)), sometimes(6, "--format=" + any(names_of("formats")));
  sometimes(8, "--require=" + any(names_of("features"))), sometimes(8, "--report=" + any(folders));
  sometimes(8, "--dtype=" + any({"f32", "bf16", "f32,bf16", "f64"})), sometimes(10, "--fail-fast");
  sometimes(10, "--no-shrink"), sometimes(10, "--allow-incomplete"), sometimes(10, problem());
  sometimes(10, "--except-property=" + any(names_of("properties")));
  sometimes(8, "--timeout=" + any(amounts)), sometimes(8, "--memory-limit=" + any(amounts));
  std::shuffle(words.begin() + 1, words.end(), random_);
  return words;
}

ClumsyLines::Words ClumsyLines::other() {
  switch (below(9)) {
    case 0:
      return {"list", any(kinds())};
    case 7:
      return {"bench",
              "--rounds=" + any(numbers),
              "--threads=" + any(numbers),
              "--budget=2s",
              "--report=" + any(folders),
              one_in(2) ? problem() : "--grid=" + any(names_of("grids")),
              "--peers=" + any({"false", "echo {}", "cat"})};
    case 1:
      return {"list"};
    case 2:
      return {"explain", any(names_of(any(kinds())))};
    case 3:
      return {"init", any(folders), "--language=" + any({"c++", "cuda", "python", "rust"})};
    case 4:
      return {"completion", any({"bash", "zsh", "fish"})};
    case 5:
      return {"help", any({"run", "list", "help", "score", "bench", "demo", "answer"})};
    case 6:
      return {"score", "--judge=" + any(names_of("judges")), "--mutant=" + any({"lost_tail", "no_delta"})};
    default:
      return {any({"--help", "--version", "-h", "demo", "doctor"}), any({"--help", "-h", "x"})};
  }
}

void ClumsyLines::slip(std::string& word) {
  const std::size_t at = below(word.size() + 1);
  const std::size_t equals = word.find('=');
  switch (below(9)) {
    case 0:
      word = word.substr(0, at);
      break;
    case 1:
      word = word.substr(at);
      break;
    case 2:
      word.insert(at, any(odd_words));
      break;
    case 3:
      word.insert(at, word.substr(at / 2, 1));
      break;
    case 4:
      if (at + 1 < word.size()) std::swap(word[at], word[at + 1]);
      break;
    case 5:
      word.erase(std::min(at, word.size() - !word.empty()), 1);
      break;
    case 6:
      if (equals != std::string::npos) word = word.substr(0, equals + 1) + any(odd_words);
      break;
    case 7: {  // another number
      const std::size_t begin = word.find_first_of("0123456789", at);
      if (begin == std::string::npos) break;
      const std::size_t end = std::min(word.find_first_not_of("0123456789", begin), word.size());
      word.replace(begin, end - begin, any(numbers));
      break;
    }
    default: {
      constexpr std::size_t long_word = 20'000;
      if (one_in(10) && !word.empty()) word.insert(at, long_word, word[0]);
    }
  }
}

void ClumsyLines::slip(Words& words) {
  const std::size_t at = below(words.size());
  switch (below(8)) {
    case 0:
      std::swap(words[at], words[below(words.size())]);
      break;
    case 1:
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), words[at]);
      break;
    case 2:
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 3:
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), any(odd_words));
      break;
    case 4:  // --option value, in two words
      if (const std::size_t equals = words[at].find('='); equals != std::string::npos) {
        const std::string value = words[at].substr(equals + 1);
        words[at].resize(equals);
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, value);
      }
      break;
    default:
      slip(words[at]);
  }
  if (words.empty()) words.emplace_back("run");
}

ProgramCall ClumsyLines::next() {
  ProgramCall call{{}, one_in(3) ? other() : run()};
  const std::size_t slips = one_in(2) ? 0 : 1 + below(4);
  for (std::size_t i = 0; i < slips; ++i) slip(call.words);
  // Whatever is written, it is written into this folder.
  const auto writes = [](const std::string& word) { return word.starts_with("--r") || word == "init"; };
  if (std::any_of(call.words.begin(), call.words.end(), writes))
    for (std::string& word : call.words)
      if (const std::size_t path = word.find('/'); path == 0 || (path != std::string::npos && word[path - 1] == '='))
        word.insert(path, ".");
  if (one_in(20))
    call.environment.push_back(any({"OMP_NUM_THREADS", "OMP_STACKSIZE", "OMP_WAIT_POLICY", "OMP_THREAD_LIMIT"}) + "=" +
                               any(numbers));
  return call;
}

void make_odd_files(const std::filesystem::path& folder) {
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
  };
  std::filesystem::create_directory(folder / "directory");
  std::filesystem::create_symlink("loop", folder / "loop");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  EXPECT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  write("text", "hello\n"), write("empty", ""), write("unread", "shape=1x1x4x4x4\n");
  write("suite", "# a comment\nshape=1x1x4x4x4 mask=full,causal\nrandom=2 seed=3\n");
  write("wrong_suite", "shape=1x1x4x4x4\nshape=1x1x4x4\n");
  write("bytes", std::string("shape=1x1x4\0x4x4\n\xff\xfe\n", 20));
  write("sparse", std::string(16, '\0'));
  std::filesystem::resize_file(folder / "sparse", std::uintmax_t{200} << 30);
  std::filesystem::permissions(folder / "unread", std::filesystem::perms::none);
}

}  // namespace attestone
