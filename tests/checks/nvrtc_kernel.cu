// SPDX-License-Identifier: MIT
// A kernel of a user's own, as a program that compiles at run time would hold it: no include, the headers come before.
extern "C" __global__ void user_kernel(float* values) { values[0] = 1.0f; }
