// SPDX-License-Identifier: Apache-2.0
// The C door of attestone: what a shared library exports to be judged. C99, and complete by itself.
//
// A library must export attestone_forward. It may export attestone_backward, attestone_workspace and
// attestone_describe. It is loaded into a process of its own: its inputs are mapped read-only, its outputs lie between
// pages that nobody may touch, and all of them vanish when the call returns.
//
//     attestone run --plugin=./libmine.so
//
// docs/rules.md says what attention is; docs/plugins.md walks through an example.
#ifndef ATTESTONE_KERNEL_H
#define ATTESTONE_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Raised whenever a field changes its meaning or its place. New fields are added at the end; `size` tells them apart.
#define ATTESTONE_ABI_VERSION 1u

#if defined(__GNUC__)
#define ATTESTONE_EXPORT __attribute__((visibility("default")))
// Every library that includes this header says so which version it was built for. One that does not include it must
// export such a number itself.
ATTESTONE_EXPORT __attribute__((weak)) uint32_t attestone_abi_version = ATTESTONE_ABI_VERSION;
#else
#define ATTESTONE_EXPORT
#endif

// NOLINTBEGIN(modernize-use-using): C has no other way to name a struct.

// The return values of a library's functions.
enum {
  ATTESTONE_OK = 0,
  ATTESTONE_REFUSED = 1  // "I do not take such a problem": write why to args->message. Anything else is an error.
};

// The codes of attestone_tensor.dtype, as DLPack numbers them.
enum {
  ATTESTONE_INT = 0,
  ATTESTONE_UINT = 1,
  ATTESTONE_FLOAT = 2,
  ATTESTONE_BFLOAT = 4,
  ATTESTONE_FLOAT8_E4M3FN = 10,
  ATTESTONE_FLOAT8_E5M2 = 12,
  ATTESTONE_FLOAT8_E8M0FNU = 14,
  ATTESTONE_FLOAT6_E2M3FN = 15,
  ATTESTONE_FLOAT6_E3M2FN = 16,
  ATTESTONE_FLOAT4_E2M1FN = 17
};

// A tensor; the same bytes as DLPack's DLTensor. Where the problem has no such tensor, and of an answer that nobody
// asks for, data is NULL and ndim 0. Strides are else always filled, in elements; 0 repeats one element, and rows may
// lie gigabytes apart. Aligned to 64 bytes, byte_offset 0, on the CPU (device type 1).
typedef struct attestone_tensor {
  void* data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} attestone_tensor;

// How the mask is given.
enum {
  ATTESTONE_MASK_FULL = 0,  // every pair within the lengths is visible
  ATTESTONE_MASK_BAND = 1,  // `causal` and `window_*` say it all, within the lengths
  ATTESTONE_MASK_BYTES = 2  // only the tensor `mask` says it
};

// One call. Names and rules are those of docs/rules.md.
typedef struct attestone_args {
  uint32_t size;  // sizeof(attestone_args) of the caller
  uint32_t abi_version;

  int64_t batch, heads, kv_heads, queries, keys, dim, value_dim;
  double scale;                       // of q.k
  double softcap;                     // c of c tanh(s / c); 0 without
  double dropout;                     // the rate; pair (b, h, i, j) is kept when the first word of Philox4x32-10 with
  uint64_t dropout_seed;              // counter (b, h, i, j) and this key (low word first) is >= floor(rate 2^32)
  int32_t mask_form;                  // ATTESTONE_MASK_...
  int32_t causal;                     // key <= p, p = query + keys - queries, by each sequence's own lengths
  int64_t window_left, window_right;  // p - left <= key <= p + right; -1 is unbounded
  int32_t backward;                   // 1 in attestone_backward, and in attestone_workspace for it
  int32_t deterministic;              // 1: gradients must have the same bits each time; 0: they may differ
  const char *input_dtype, *output_dtype;  // "bf16": the logical formats, whatever the storage codes are
  const char* layout;                      // "bhsd", ...: how the strides came about
  const char* problem;                     // the text of the whole problem

  // Inputs, read-only. With the layout "ragged" all sequences lie behind each other: the batch extent of query, key,
  // value and what is like them is 1, their rows are counted over all sequences, and *_starts hold where each begins.
  // Behind the last sequence there may be rows that belong to none: the starts say where it ends, the extents do not.
  attestone_tensor query;          // [batch, heads, queries, dim]
  attestone_tensor key;            // [batch, kv_heads, keys, dim]
  attestone_tensor value;          // [batch, kv_heads, keys, value_dim]
  attestone_tensor mask;           // uint8 [batch, heads, queries, keys], 1 where visible, lengths included; with any
                                   // mask but "full", and with lengths
  attestone_tensor bias;           // [batch, heads, queries, keys], added after softcap
  attestone_tensor sink;           // [heads]
  attestone_tensor alibi_slopes;   // f32 [heads]
  attestone_tensor query_starts;   // int32 [batch + 1], "ragged" only (cu_seqlens)
  attestone_tensor key_starts;     // int32 [batch + 1]
  attestone_tensor query_lengths;  // int32 [batch], where sequences are shorter than the extents say
  attestone_tensor key_lengths;    // int32 [batch]
  attestone_tensor block_table;    // int32 [batch, pages of a sequence], where key and value lie in pages: see below

  // Outputs of attestone_forward: every element must be written. A problem may ask for one of them alone; the other has
  // no data then. Inputs of attestone_backward, both there.
  attestone_tensor out;          // [batch, heads, queries, value_dim]
  attestone_tensor log_sum_exp;  // f32 (f64 with f64) [batch, heads, queries]: natural, -inf for a row without keys;
                                 // who declares outputs=out may leave it as it is

  // Only attestone_backward: its input dout, and its outputs, each shaped like its original. A problem may ask for some
  // of them alone (wants=dkey+dvalue); the others have no data.
  attestone_tensor dout;
  attestone_tensor dquery, dkey, dvalue;
  attestone_tensor dbias;  // of the extents that the bias really has: axes along which it repeats have extent 1
  attestone_tensor dsink;

  void* workspace;  // as many bytes as attestone_workspace asked for, aligned to 64, holding anything
  int64_t workspace_bytes;
  void* stream;  // NULL: the default one. The work is finished when the call returns.

  char* message;  // why the problem is refused, or what went wrong: text with a final 0
  int64_t message_bytes;

  // Fields that came later: there if `size` says so.
  int32_t threads;  // how many threads to use: a wish. OpenMP's own number, in the calling thread, is set to it

  // With a block_table, key is [pages, kv_heads, rows_per_page, dim], and value likewise: row r of sequence b is row
  // r % rows_per_page of page block_table[b][r / rows_per_page]. key_lengths says how many rows there are. Else 0.
  int64_t rows_per_page;

  // Where there are scales, an element stands for its number times a scale that its block shares: element [b, h, r, c]
  // for that at [b / block[0], h / block[1], r / block[2], c / block[3]] of the scales, r being a row of the sequence.
  attestone_tensor query_scales, key_scales, value_scales;
  int64_t query_scale_block[4], key_scale_block[4], value_scale_block[4];

  // An output of attestone_forward, where a problem asks for it (wants=out+max_logits) of a library that declares
  // max_logits=yes in its limits: the largest score of the keys that a row sees, after scale, softcap, bias and mask.
  // f32 (f64 with f64) [batch, heads, queries]: natural, -inf for a row without keys; sinks do not count.
  attestone_tensor max_logits;
} attestone_args;

// A library's description of itself. Texts are copied at once; NULL stands for nothing to say.
typedef struct attestone_description {
  uint32_t size;  // sizeof(attestone_description) of the caller
  uint32_t abi_version;
  const char* name;
  // Its arithmetic, as "weight_roundoff=0x1p-9 exp_error=1e-6": names of fields of attestone's Numerics (docs/
  // plugins.md lists them), over the default class of the formats. NULL: that class itself.
  const char* numerics;
  // Its limits, as "dtypes=f32+bf16 layouts=bhsd+bshd masks=full+band max_dim=128 dropout=no" (docs/plugins.md).
  // NULL: everything but max_logits; what is declared here need not be refused in the call.
  const char* limits;
  // Fields that came later: there if `size` says so.
  // Its conventions where libraries differ, as "empty_rows=nan outputs=out" (docs/conventions.md). NULL: what the
  // rules say.
  const char* conventions;
} attestone_description;

// NOLINTEND(modernize-use-using)

ATTESTONE_EXPORT int attestone_forward(const attestone_args* args);
ATTESTONE_EXPORT int attestone_backward(const attestone_args* args);
// Bytes of scratch memory that a call needs; the tensors have extents and strides, but no data. 0 where it is missing.
ATTESTONE_EXPORT int64_t attestone_workspace(const attestone_args* args);
ATTESTONE_EXPORT int attestone_describe(attestone_description* description);

#ifdef __cplusplus
}
#endif

#endif
