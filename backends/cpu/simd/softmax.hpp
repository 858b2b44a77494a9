// SPDX-License-Identifier: Apache-2.0
// The online softmax of the queries of a panel (Milakov & Gimelshein, arXiv 1805.02867), in base 2. Hidden pairs weigh
// exactly nothing, and no difference of infinities is ever formed.
#pragma once

#include "backends/cpu/simd/panel.hpp"

namespace attestone::inline backends {

/// Sets S[keys][32] to -infinity where a query does not see a key: seen[key] are those that do.
void hide_scores(float* S, index keys, const QuerySet* seen);

/// largest[32] = max(largest, columns of S[keys][32]). NaN is passed over: it returns through its own exponential.
void raise_to_columns(const float* S, index keys, float* largest);

/// For the sums of a softmax whose maximum grows from m to `largest`: shrink[32] = 2^(m - largest), by which l shrinks
/// here, and O^T must; m becomes `largest`. m of -infinity has seen nothing.
void raise_maxima(const float* largest, float* m, float* l, float* shrink);

/// O^T[channels][32] = shrink[32] O^T.
void shrink_columns(const float* shrink, index channels, float* OT);

/// S[keys][32] becomes P = 2^(S - m), and its columns are added to l[32]; where m is -infinity, so is every score. No
/// score exceeds m + 127.
void weigh_scores(float* S, index keys, const float* m, float* l);

/// O^T[channels][32] / l[32]; 0 where l is 0.
void divide_by_sums(float* OT, index channels, const float* l);

}  // namespace attestone::inline backends
