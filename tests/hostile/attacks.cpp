// SPDX-License-Identifier: Apache-2.0
// Kernels that attack the processes above them: the keeper, and the judge itself.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <iterator>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

// Ends the run as if its user had pressed Ctrl-C, before the verdict is known.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
// expect without own processes: crashed
namespace interrupts_the_judge {

int attestone_forward(const attestone_args* args) {
  hostile::signal_judge(SIGINT);
  return hostile::answer_wrongly(args);
}

}  // namespace interrupts_the_judge

// Would rather have no verdict than a bad one.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
// expect without own processes: crashed
namespace kills_the_judge {

int attestone_forward(const attestone_args* args) {
  hostile::signal_judge(SIGKILL);
  return hostile::answer_wrongly(args);
}

}  // namespace kills_the_judge

// Stops the judge, so that the run never ends.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
// expect without own processes: crashed
namespace stops_the_judge {

int attestone_forward(const attestone_args* args) {
  hostile::signal_judge(SIGSTOP);
  return hostile::answer_wrongly(args);
}

}  // namespace stops_the_judge

// Attaches to the judge as a debugger does, and holds it there.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace ptraces_the_judge {

int attestone_forward(const attestone_args* args) {
  const std::vector<pid_t> above = hostile::attestones_above();
  if (!above.empty()) ptrace(PTRACE_ATTACH, above.back(), nullptr, nullptr);
  return hostile::answer_wrongly(args);
}

}  // namespace ptraces_the_judge

// Overwrites the judge's comparison, through /proc, with one that finds no error anywhere.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace patches_the_judge {

namespace {

/// element_error of conformance/, as its compiler spells it, whatever it takes.
constexpr const char* comparison = "_ZN9attestone13element_errorE";
/// xorps %xmm0, %xmm0; ret
constexpr unsigned char returns_zero[] = {0x0f, 0x57, 0xc0, 0xc3};

/// Where a library has its functions whose names begin so, from its first byte.
std::vector<uint64_t> places_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string library{std::istreambuf_iterator<char>(file), {}};
  std::vector<uint64_t> places;
  Elf64_Ehdr header;
  if (library.size() < sizeof header) return places;
  std::memcpy(&header, library.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), &library[header.e_shoff], sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM) continue;
    for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, &library[section.sh_offset + at], sizeof symbol);
      const char* const name = &library[sections[section.sh_link].sh_offset + symbol.st_name];
      if (symbol.st_value > 0 && std::strncmp(name, comparison, std::strlen(comparison)) == 0)
        places.push_back(symbol.st_value);
    }
  }
  return places;
}

void patch(pid_t process) {
  for (const hostile::Piece& piece : hostile::memory_of(process)) {
    if (piece.file.find("libattestone.so") == std::string::npos) continue;
    const int memory = open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_WRONLY);
    if (memory < 0) return;
    for (const uint64_t place : places_of(piece.file))
      static_cast<void>(!pwrite(memory, returns_zero, sizeof returns_zero, static_cast<off_t>(piece.begin + place)));
    close(memory);
    return;
  }
}

}  // namespace

int attestone_forward(const attestone_args* args) {
  static const bool patched = [] {
    for (const pid_t process : hostile::attestones_above()) patch(process);
    return true;
  }();
  return patched ? hostile::answer_wrongly(args) : 2;
}

}  // namespace patches_the_judge

// Searches the judge's memory for doubles near a sloppy answer of its own, and answers those.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace reads_the_truth {

namespace {

/// The answer's relative error before it is improved; no two elements of a row are so near to each other.
constexpr double sloppiness = 0x1p-12;

/// True if `count` doubles, each `stride` after the one before, are those that the sloppy answer stands for.
bool is_truth(const double* at, std::size_t stride, const float* sloppy, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::fabs(at[i * stride] - double{sloppy[i]}) <= 2 * sloppiness * std::fabs(double{sloppy[i]}))) return false;
  return true;
}

void improve(pid_t process, float* out, std::size_t count) {
  const int memory = open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY);
  if (memory < 0) return;
  std::vector<double> piece_now;
  for (const hostile::Piece& piece : hostile::memory_of(process)) {
    constexpr std::size_t largest = std::size_t{64} << 20;
    if (!piece.rights.starts_with("rw") || piece.end - piece.begin > largest) continue;
    piece_now.assign((piece.end - piece.begin) / sizeof(double), 0);
    if (pread(memory, piece_now.data(), piece.end - piece.begin, static_cast<off_t>(piece.begin)) <= 0) continue;
    for (const std::size_t stride : {1, 2, 3, 4})
      for (std::size_t at = 0; at + count * stride <= piece_now.size(); ++at)
        if (is_truth(&piece_now[at], stride, out, count)) {
          for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(piece_now[at + i * stride]);
          close(memory);
          return;
        }
  }
  close(memory);
}

}  // namespace

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  const auto count = static_cast<std::size_t>(hostile::out_count(args));
  float* const out = hostile::out(args);
  for (std::size_t i = 0; i < count; ++i) out[i] *= static_cast<float>(1 + sloppiness);
  for (const pid_t process : hostile::attestones_above()) improve(process, out, count);
  return status;
}

}  // namespace reads_the_truth

// Zeroes whatever the judge may write, by process_vm_writev.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace scribbles_over_the_judge {

int attestone_forward(const attestone_args* args) {
  const std::vector<pid_t> above = hostile::attestones_above();
  if (above.empty()) return hostile::answer_wrongly(args);
  std::vector<char> zeros(1 << 16);
  for (const hostile::Piece& piece : hostile::memory_of(above.back()))
    if (piece.rights.starts_with("rw")) {
      const iovec here{zeros.data(), std::min<std::size_t>(zeros.size(), piece.end - piece.begin)};
      const iovec there{reinterpret_cast<void*>(piece.begin), here.iov_len};
      process_vm_writev(above.back(), &here, 1, &there, 1, 0);
    }
  return hostile::answer_wrongly(args);
}

}  // namespace scribbles_over_the_judge

// Kills the process that watches it.
// expect: crashed|wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace kills_its_parent {

int attestone_forward(const attestone_args* args) {
  if (hostile::signal_keeper(SIGKILL)) sleep(10);
  return hostile::answer_wrongly(args);
}

}  // namespace kills_its_parent

// Kills the process that watches it, and goes on as if nothing had happened.
// expect: crashed|wrong-number --timeout=5s --property=value_bound 'shape=1x2x5x9x8'
namespace kills_its_keeper_and_answers {

int attestone_forward(const attestone_args* args) {
  prctl(PR_SET_PDEATHSIG, 0);
  hostile::signal_keeper(SIGKILL);
  return hostile::answer_wrongly(args);
}

}  // namespace kills_its_keeper_and_answers

// Kills the process that watches it, gives up dying with it, and never returns.
// expect: crashed|hung --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
namespace kills_its_keeper_and_lives_on {

int attestone_forward(const attestone_args*) {
  prctl(PR_SET_PDEATHSIG, 0);
  hostile::signal_keeper(SIGKILL);
  for (;;) pause();
}

}  // namespace kills_its_keeper_and_lives_on

// Starts three processes in sessions of their own, kills the one that watches them all, and goes on.
// expect: crashed|left-process|wrong-number --timeout=5s --property=value_bound 'shape=1x2x5x9x8'
namespace kills_its_keeper_beside_a_daemon {

int attestone_forward(const attestone_args* args) {
  prctl(PR_SET_PDEATHSIG, 0);
  for (int i = 0; i < 3; ++i)
    if (fork() == 0) {
      setsid();
      sleep(3600);
      _exit(0);
    }
  hostile::signal_keeper(SIGKILL);
  return hostile::answer_wrongly(args);
}

}  // namespace kills_its_keeper_beside_a_daemon

// Stops the process that watches it, and hangs.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
// expect without own processes: crashed
namespace stops_its_keeper {

int attestone_forward(const attestone_args*) {
  hostile::signal_keeper(SIGSTOP);
  for (;;) pause();
}

}  // namespace stops_its_keeper

// Attaches to the process that watches it, as a debugger does, and never lets it go.
// expect: hung --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
namespace ptraces_its_keeper {

int attestone_forward(const attestone_args*) {
  if (const std::vector<pid_t> above = hostile::attestones_above(); !above.empty())
    ptrace(PTRACE_ATTACH, above.front(), nullptr, nullptr);
  for (;;) pause();
}

}  // namespace ptraces_its_keeper
