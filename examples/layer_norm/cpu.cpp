// SPDX-License-Identifier: MIT
// The layer_norm tool's CPU back end: the same kernels, compiled by the host compiler and run by the CPU executor.
#include "library_call.cuh"
#include "rowfold/cpu/executor.hpp"

template <class T>
outcome run_on_cpu(const problem<T>& task) {
  outcome done;
  const rowfold::row_plan made = make_plan(task, done);
  if (done.error.empty() && launch_plan(task, made) != cudaSuccess) {
    done.error = std::string("the launch failed: ") + rowfold::cpu::last_error();
  }
  return done;
}

template outcome run_on_cpu(const problem<float>&);
template outcome run_on_cpu(const problem<__half>&);
template outcome run_on_cpu(const problem<__nv_bfloat16>&);
