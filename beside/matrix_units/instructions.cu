// SPDX-License-Identifier: Apache-2.0
// Each instruction as a kernel: a warp (mma) or four (wgmma) hold one tile in their registers.
#include <stdexcept>
#include <string>

#include "instructions.hpp"

namespace {

/// Where the elements of a fragment stand: a thread holds rows `row` and `row + 8`, and words of four bytes.
struct Lane {
  int row = threadIdx.x % 32 / 4 + threadIdx.x / 32 * 16;
  int word = threadIdx.x % 4;
};

/// A code row of A is eight words of four bytes, whatever the format: 16, 8 or 32 codes.
constexpr int words = 8;

__device__ void load_a(const std::uint32_t* a, std::uint32_t (&fragment)[4]) {
  const Lane lane;
  fragment[0] = a[lane.row * words + lane.word];
  fragment[1] = a[(lane.row + 8) * words + lane.word];
  fragment[2] = a[lane.row * words + lane.word + 4];
  fragment[3] = a[(lane.row + 8) * words + lane.word + 4];
}

__device__ void load_b(const std::uint32_t* b, std::uint32_t (&fragment)[2]) {
  const int column = threadIdx.x % 32 / 4, word = threadIdx.x % 4;
  fragment[0] = b[column * words + word];
  fragment[1] = b[column * words + word + 4];
}

/// Of eight columns: two neighbours in each of two rows, as f32 or as f16.
struct WideSum {
  static constexpr int row_words = 8;
  std::uint32_t part[4];
  template <typename Move>
  __device__ void each(Move move) {
    const Lane lane;
    for (int half = 0; half < 2; ++half)
      for (int next = 0; next < 2; ++next)
        move(part[2 * half + next], (lane.row + 8 * half) * row_words + 2 * lane.word + next);
  }
};
struct NarrowSum {
  static constexpr int row_words = 4;
  std::uint32_t part[2];
  template <typename Move>
  __device__ void each(Move move) {
    const Lane lane;
    for (int half = 0; half < 2; ++half) move(part[half], (lane.row + 8 * half) * row_words + lane.word);
  }
};

#define MMA_WIDE(text)                                                                           \
  asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
               : "+r"(d.part[0]), "+r"(d.part[1]), "+r"(d.part[2]), "+r"(d.part[3])              \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define MMA_NARROW(text)                                                             \
  asm volatile("mma.sync.aligned." text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" \
               : "+r"(d.part[0]), "+r"(d.part[1])                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define WGMMA_WIDE(text, transposition)                                                                            \
  asm volatile("wgmma.mma_async.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1" transposition ";" \
               : "+r"(d.part[0]), "+r"(d.part[1]), "+r"(d.part[2]), "+r"(d.part[3])                                \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define WGMMA_NARROW(text, transposition)                                                                    \
  asm volatile("wgmma.mma_async.sync.aligned." text " {%0,%1}, {%2,%3,%4,%5}, %6, 1, 1, 1" transposition ";" \
               : "+r"(d.part[0]), "+r"(d.part[1])                                                            \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

#define OF_A_WARP(name, sum, instruction, text)                                                         \
  struct name {                                                                                         \
    using Sum = sum;                                                                                    \
    static constexpr int warps = 1;                                                                     \
    static __device__ void multiply(sum& d, const std::uint32_t (&a)[4], const std::uint32_t* shared) { \
      std::uint32_t b[2];                                                                               \
      load_b(shared, b);                                                                                \
      instruction(text);                                                                                \
    }                                                                                                   \
  }
#define OF_FOUR_WARPS(name, sum, instruction, text, transposition)                                      \
  struct name {                                                                                         \
    using Sum = sum;                                                                                    \
    static constexpr int warps = 4;                                                                     \
    static __device__ void multiply(sum& d, const std::uint32_t (&a)[4], const std::uint32_t* shared) { \
      const std::uint64_t b = descriptor(shared);                                                       \
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                           \
      instruction(text, transposition);                                                                 \
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                    \
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                    \
    }                                                                                                   \
  }

/// B in shared memory without a swizzle: eight rows of 16 bytes, then the other eight.
__device__ std::uint64_t descriptor(const std::uint32_t* shared) {
  constexpr std::uint64_t bytes_to_next = 128;
  const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(shared));
  return (address & 0x3FFFF) >> 4 | bytes_to_next >> 4 << 16 | bytes_to_next >> 4 << 32;
}

OF_A_WARP(MmaF16, WideSum, MMA_WIDE, "m16n8k16.row.col.f32.f16.f16.f32");
OF_A_WARP(MmaF16InF16, NarrowSum, MMA_NARROW, "m16n8k16.row.col.f16.f16.f16.f16");
OF_A_WARP(MmaBf16, WideSum, MMA_WIDE, "m16n8k16.row.col.f32.bf16.bf16.f32");
OF_A_WARP(MmaTf32, WideSum, MMA_WIDE, "m16n8k8.row.col.f32.tf32.tf32.f32");
OF_A_WARP(MmaE4m3, WideSum, MMA_WIDE, "m16n8k32.row.col.f32.e4m3.e4m3.f32");
OF_A_WARP(MmaE5m2, WideSum, MMA_WIDE, "m16n8k32.row.col.f32.e5m2.e5m2.f32");
OF_A_WARP(MmaE4m3InF16, NarrowSum, MMA_NARROW, "m16n8k32.row.col.f16.e4m3.e4m3.f16");
OF_FOUR_WARPS(WgmmaF16, WideSum, WGMMA_WIDE, "m64n8k16.f32.f16.f16", ", 0");
OF_FOUR_WARPS(WgmmaF16InF16, NarrowSum, WGMMA_NARROW, "m64n8k16.f16.f16.f16", ", 0");
OF_FOUR_WARPS(WgmmaBf16, WideSum, WGMMA_WIDE, "m64n8k16.f32.bf16.bf16", ", 0");
OF_FOUR_WARPS(WgmmaTf32, WideSum, WGMMA_WIDE, "m64n8k8.f32.tf32.tf32", "");
OF_FOUR_WARPS(WgmmaE4m3, WideSum, WGMMA_WIDE, "m64n8k32.f32.e4m3.e4m3", "");
OF_FOUR_WARPS(WgmmaE5m2, WideSum, WGMMA_WIDE, "m64n8k32.f32.e5m2.e5m2", "");
OF_FOUR_WARPS(WgmmaE4m3InF16, NarrowSum, WGMMA_NARROW, "m64n8k32.f16.e4m3.e4m3", "");
OF_FOUR_WARPS(WgmmaE5m2InF16, NarrowSum, WGMMA_NARROW, "m64n8k32.f16.e5m2.e5m2", "");

/// A block makes one tile.
template <typename Kind>
__global__ void multiply(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) {
  using Sum = typename Kind::Sum;
  constexpr int rows = 16 * Kind::warps, columns = 8;
  __shared__ alignas(128) std::uint32_t shared[columns * words];
  for (int i = threadIdx.x; i < columns * words; i += blockDim.x) {
    const int column = i / words, word = i % words;
    const int place = Kind::warps == 1 ? i : word / 4 * 32 + column * 4 + word % 4;
    shared[place] = b[blockIdx.x * columns * words + i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const std::size_t tile = std::size_t{blockIdx.x} * rows * Sum::row_words;
  std::uint32_t fragment[4];
  load_a(a + std::size_t{blockIdx.x} * rows * words, fragment);
  Sum sum;
  sum.each([&](std::uint32_t& part, int at) { part = c[tile + at]; });
  Kind::multiply(sum, fragment, shared);
  sum.each([&](std::uint32_t& part, int at) { d[tile + at] = part; });
}

using Launch = void (*)(int tiles, const std::uint32_t*, const std::uint32_t*, const std::uint32_t*, std::uint32_t*);

template <typename Kind>
void launch(int tiles, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d) {
  multiply<Kind><<<tiles, 32 * Kind::warps>>>(a, b, c, d);
}

struct Known {
  Instruction instruction;
  Launch launch;
};

template <typename Kind>
Known known(std::string_view name, std::string_view operands, int operand_bytes) {
  return {{name, operands, 16 * Kind::warps, 8, 4 * words / operand_bytes, operand_bytes, Kind::Sum::row_words / 2},
          launch<Kind>};
}

const std::vector<Known>& all() {
  static const std::vector<Known> table{
      known<MmaF16>("mma.m16n8k16.f32.f16.f16.f32", "f16", 2),
      known<MmaF16InF16>("mma.m16n8k16.f16.f16.f16.f16", "f16", 2),
      known<MmaBf16>("mma.m16n8k16.f32.bf16.bf16.f32", "bf16", 2),
      known<MmaTf32>("mma.m16n8k8.f32.tf32.tf32.f32", "tf32", 4),
      known<MmaE4m3>("mma.m16n8k32.f32.e4m3.e4m3.f32", "e4m3", 1),
      known<MmaE5m2>("mma.m16n8k32.f32.e5m2.e5m2.f32", "e5m2", 1),
      known<MmaE4m3InF16>("mma.m16n8k32.f16.e4m3.e4m3.f16", "e4m3", 1),
      known<WgmmaF16>("wgmma.m64n8k16.f32.f16.f16", "f16", 2),
      known<WgmmaF16InF16>("wgmma.m64n8k16.f16.f16.f16", "f16", 2),
      known<WgmmaBf16>("wgmma.m64n8k16.f32.bf16.bf16", "bf16", 2),
      known<WgmmaTf32>("wgmma.m64n8k8.f32.tf32.tf32", "tf32", 4),
      known<WgmmaE4m3>("wgmma.m64n8k32.f32.e4m3.e4m3", "e4m3", 1),
      known<WgmmaE5m2>("wgmma.m64n8k32.f32.e5m2.e5m2", "e5m2", 1),
      known<WgmmaE4m3InF16>("wgmma.m64n8k32.f16.e4m3.e4m3", "e4m3", 1),
      known<WgmmaE5m2InF16>("wgmma.m64n8k32.f16.e5m2.e5m2", "e5m2", 1),
  };
  return table;
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// Memory of the device.
class OnDevice {
 public:
  explicit OnDevice(std::size_t bytes) { check(cudaMalloc(&words_, bytes)); }
  explicit OnDevice(const std::vector<std::uint8_t>& bytes) : OnDevice(bytes.size()) {
    check(cudaMemcpy(words_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(words_); }
  std::uint32_t* words() const { return words_; }

 private:
  std::uint32_t* words_ = nullptr;
};

}  // namespace

const std::vector<Instruction>& instructions() {
  static const std::vector<Instruction> list = [] {
    std::vector<Instruction> all_of_them;
    for (const Known& one : all()) all_of_them.push_back(one.instruction);
    return all_of_them;
  }();
  return list;
}

std::vector<std::uint8_t> multiplied(const Instruction& instruction, const Tiles& tiles, int count) {
  std::vector<std::uint8_t> d(tiles.c.size());
  const OnDevice a(tiles.a), b(tiles.b), c(tiles.c), on_device(d.size());
  for (const Known& one : all())
    if (one.instruction.name == instruction.name) one.launch(count, a.words(), b.words(), c.words(), on_device.words());
  check(cudaGetLastError());
  check(cudaMemcpy(d.data(), on_device.words(), d.size(), cudaMemcpyDeviceToHost));
  return d;
}
