// SPDX-License-Identifier: Apache-2.0
// Overwrites the judge's comparison, through /proc, with one that finds no error anywhere.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <iterator>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

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
