// SPDX-License-Identifier: Apache-2.0
// A library that checks what it is handed against the text of the problem, and answers with it: out = query, and
// log_sum_exp counts its rows.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backends/plugins/protocol/kernel.h"

namespace {

/// Says what does not hold.
int complain(const attestone_args* args, const char* what) {
  std::snprintf(args->message, static_cast<std::size_t>(args->message_bytes), "%s", what);
  return 3;
}

/// The value of a field of the problem's text; empty if it is not there.
std::string field(const attestone_args* args, const char* name) {
  const std::string text = " " + std::string(args->problem) + " ";
  const std::string marker = " " + std::string(name) + "=";
  const std::size_t at = text.find(marker);
  if (at == std::string::npos) return "";
  return text.substr(at + marker.size(), text.find(' ', at + 1) - at - marker.size());
}

bool has(const attestone_args* args, const char* name, const char* word) {
  return field(args, name).find(word) != std::string::npos;
}

char* place(const attestone_tensor& tensor, int64_t i, int64_t j, int64_t k, int64_t l) {
  const int64_t at[] = {i, j, k, l};
  int64_t offset = 0;
  for (int axis = 0; axis < tensor.ndim; ++axis) offset += at[axis] * tensor.strides[axis];
  return static_cast<char*>(tensor.data) + offset * (tensor.dtype.bits / 8);
}

const char* mistake(const attestone_args* a) {
  const bool ragged = has(a, "layout", "ragged"), lengths = !field(a, "lengths").empty();
  if (a->size != sizeof *a || a->abi_version != ATTESTONE_ABI_VERSION) return "size and version";
  for (const attestone_tensor* tensor : {&a->query, &a->key, &a->value, &a->out, &a->log_sum_exp})
    if (reinterpret_cast<uintptr_t>(tensor->data) % 64 != 0 || tensor->device.type != 1) return "alignment and device";
  if (a->query.ndim != 4 || a->query.shape[1] != a->heads || a->query.shape[3] != a->dim) return "shape of query";
  if (a->query.shape[0] != (ragged ? 1 : a->batch)) return "batch of query";
  if (a->key.shape[1] != a->kv_heads || a->value.shape[3] != a->value_dim) return "shapes of key and value";
  if (a->log_sum_exp.ndim != 3 || a->log_sum_exp.dtype.bits != 32) return "log_sum_exp";
  if ((a->query_starts.data != nullptr) != ragged) return "query_starts";
  const int spare_rows = std::atoi(field(a, "spare_rows").c_str());
  if (ragged && static_cast<int32_t*>(a->query_starts.data)[a->batch] + spare_rows != a->query.shape[2])
    return "rows of ragged query";
  if ((a->key_lengths.data != nullptr) != lengths) return "key_lengths";
  if ((a->mask.data != nullptr) != (lengths || !field(a, "mask").empty())) return "mask";
  if (has(a, "mask", "causal") != (a->causal == 1)) return "causal";
  if (a->window_left != (has(a, "mask", "window:3:0") ? 3 : -1)) return "window";
  if (a->softcap != (has(a, "score", "softcap:30") ? 30 : 0)) return "softcap";
  if (has(a, "score", "alibi") != (a->alibi_slopes.data != nullptr)) return "alibi_slopes";
  if (has(a, "score", "bias") != (a->bias.data != nullptr)) return "bias";
  if (a->bias.data && (a->bias.shape[0] != a->batch || a->bias.strides[0] != 0)) return "repeated bias";
  if (has(a, "score", "sink") != (a->sink.data != nullptr && a->sink.ndim == 1)) return "sink";
  if (a->dropout != (field(a, "dropout").empty() ? 0 : 0.5)) return "dropout";
  if (a->dropout_seed !=
      std::strtoull((field(a, "seed") + "1").c_str(), nullptr, 10) / (field(a, "seed").empty() ? 1 : 10))
    return "seed";
  if (std::fabs(a->scale - (has(a, "scale", "0.25") ? 0.25 : 1 / std::sqrt(static_cast<double>(a->dim)))) > 1e-12)
    return "scale";
  if (a->dquery.data || a->dout.data || a->block_table.data || a->backward) return "tensors that there are none of";
  if (a->deterministic != (field(a, "deterministic").empty() ? 1 : 0)) return "deterministic";
  if (a->threads < 1) return "threads";
  if (a->workspace_bytes != 8 * a->batch * a->heads * a->queries) return "workspace_bytes";
  if (a->workspace_bytes > 0 && static_cast<unsigned char*>(a->workspace)[a->workspace_bytes - 1] != 0xFF)
    return "poison of the workspace";
  return nullptr;
}

}  // namespace

int64_t attestone_workspace(const attestone_args* args) {
  return args->query.data ? -1 : 8 * args->batch * args->heads * args->queries;
}

int attestone_forward(const attestone_args* args) {
  static int calls = 0;
  ++calls;
  if (const char* what = mistake(args)) return complain(args, what);
  if (args->workspace) std::memset(args->workspace, 0, static_cast<std::size_t>(args->workspace_bytes));
  const int64_t* shape = args->out.shape;
  const auto* starts = static_cast<const int32_t*>(args->query_starts.data);
  const int64_t rows = starts ? starts[args->batch] : shape[2];  // spare rows belong to nobody
  float row = 0;
  for (int64_t b = 0; b < shape[0]; ++b)
    for (int64_t h = 0; h < shape[1]; ++h)
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t c = 0; c < shape[3]; ++c)
          std::memcpy(place(args->out, b, h, i, c), place(args->query, b, h, i, c), args->out.dtype.bits / 8);
        std::memcpy(place(args->log_sum_exp, b, h, i, 0), &row, sizeof row);
        ++row;
      }
  if (args->dropout_seed == 1000) {
    const auto count = static_cast<float>(calls);
    std::memcpy(args->out.data, &count, sizeof count);
  }
  return ATTESTONE_OK;
}
