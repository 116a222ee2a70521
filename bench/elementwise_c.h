/* SPDX-License-Identifier: MIT
 *
 * Vector addition behind plain C functions, for the Python comparison (through ctypes) and the benchmark program. All
 * pointers are device memory of one type; work goes to `stream` (a cudaStream_t); nothing synchronises.
 */
#ifndef ROWFOLD_BENCH_ELEMENTWISE_C_H
#define ROWFOLD_BENCH_ELEMENTWISE_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y = a + b for `count` elements. dtype: 0 float, 1 half, 2 bfloat16. `programmatic` other than 0 asks for programmatic
 * dependent launch. Returns a cudaError_t as int; an unknown dtype is cudaErrorInvalidValue. */
int rowfold_bench_vector_add(int dtype, const void* a, const void* b, void* y, int64_t count, int programmatic,
                             void* stream);

/* Writes the plan of the same call in one line (zero-terminated, cut to `size` bytes). Launches nothing. Returns a
 * cudaError_t as int: cudaErrorInvalidValue also when the call would be refused. */
int rowfold_bench_vector_add_plan(int dtype, const void* a, const void* b, void* y, int64_t count, char* text,
                                  size_t size);

/* "no error" and so on, for callers without the CUDA runtime's headers. */
const char* rowfold_bench_vector_add_error_text(int status);

#ifdef __cplusplus
}
#endif

#endif
