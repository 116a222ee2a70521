// SPDX-License-Identifier: MIT
// The same op compiled by the host compiler for the CPU executor, in the same program as the .cu files.
#include "every_header.hpp"
#include "program.hpp"

cudaError_t launch_on_cpu(const float_args& args) { return rowfold::layer_norm(args); }
