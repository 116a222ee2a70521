/* SPDX-License-Identifier: MIT
 *
 * LayerNorm forward behind plain C functions: the kernels are instantiated once, in layer_norm_c.cu, and everybody else
 * (the benchmark program, the Python comparison through ctypes) calls these. All pointers are device memory; x, gamma,
 * beta and y have one type; gamma and beta may be null. Work goes to `stream` (a cudaStream_t); nothing synchronises.
 */
#ifndef ROWFOLD_BENCH_LAYER_NORM_C_H
#define ROWFOLD_BENCH_LAYER_NORM_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rowfold_bench_dtype { rowfold_bench_float = 0, rowfold_bench_half = 1, rowfold_bench_bfloat16 = 2 };

/* x and y: [rows, cols], dense; gamma and beta: [cols]. `programmatic` other than 0 asks for programmatic dependent
 * launch. Returns a cudaError_t as int; an unknown dtype is cudaErrorInvalidValue. */
int rowfold_bench_layer_norm(int dtype, const void* x, const void* gamma, const void* beta, void* y, int64_t rows,
                             int cols, double eps, int programmatic, void* stream);

/* Writes the plan of the same call for the current device in one line (zero-terminated, cut to `size` bytes). Launches
 * nothing. Returns a cudaError_t as int: cudaErrorInvalidValue also when the call would be refused. */
int rowfold_bench_layer_norm_plan(int dtype, const void* x, const void* gamma, const void* beta, void* y, int64_t rows,
                                  int cols, double eps, char* text, size_t size);

/* "no error" and so on, for callers without the CUDA runtime's headers. */
const char* rowfold_bench_error_text(int status);

#ifdef __cplusplus
}
#endif

#endif
