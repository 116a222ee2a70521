// SPDX-License-Identifier: MIT
// layer_norm: LayerNorm of the rows of a .npy file on the CPU executor or a GPU, checked against float64 (usage in
// arguments.hpp). This file reads, converts, picks the back end, reports and writes; the library is called in cpu.cpp
// and gpu.cu, and no file appears at --out unless the result is within its bound.
#include <unistd.h>

#include <cinttypes>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "../npy.hpp"
#include "arguments.hpp"
#include "backend.hpp"
#include "check.hpp"

namespace {

constexpr int exit_within_bound = 0, exit_outside_bound = 1, exit_unusable = 2;

// One line on stderr: a control character from a file name or a header cannot make it two.
int complain(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  std::fprintf(stderr, "layer_norm: %s\n", text.c_str());
  return exit_unusable;
}

double element_of(const npy::array& data, std::size_t index) {
  const auto get = [&](auto value) {
    std::memcpy(&value, data.bytes.data() + index * sizeof value, sizeof value);
    return value;
  };
  if (data.type == npy::element::float16) return to_double(get(__half()));
  if (data.type == npy::element::float32) return get(float());
  return get(double());
}

// Rounds every element to T once. A finite one too large for T is refused: it would become an infinity unasked.
template <class T>
std::string convert(const std::string& name, const npy::array& data, const std::string& type, std::vector<T>& out) {
  out.resize(static_cast<std::size_t>(data.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double value = element_of(data, i);
    out[i] = nearest<T>(value);
    if (std::isfinite(value) && !std::isfinite(to_double(out[i]))) {
      char text[32];
      std::snprintf(text, sizeof text, "%g", value);
      return name + " holds " + text + ", which is too large for " + type;
    }
  }
  return {};
}

std::string read_parameter(const std::string& path, const char* flag, std::int64_t cols, std::vector<float>& out) {
  if (path.empty()) return {};
  npy::array data;
  if (std::string error = npy::read(path, data); !error.empty()) return error;
  if (data.shape.size() != 1 || data.shape[0] != cols) {
    return path + " (" + flag + ") has shape " + npy::shape_text(data) + ", but the rows have " + std::to_string(cols) +
           " elements";
  }
  return convert(path, data, "float", out);
}

struct input {
  npy::array x;
  std::int64_t rows = 1;
  int cols = 0;
  std::vector<float> gamma, beta;
};

std::string read_input(const arguments& given, input& in) {
  if (std::string error = npy::read(given.x, in.x); !error.empty()) return error;
  const std::int64_t last = in.x.shape.back();
  if (last > std::numeric_limits<int>::max()) {
    return given.x + " has rows of " + std::to_string(last) + " elements; 2147483647 is the most";
  }
  in.cols = static_cast<int>(last);
  for (std::size_t axis = 0; axis + 1 < in.x.shape.size(); ++axis) in.rows *= in.x.shape[axis];
  if (std::string error = read_parameter(given.gamma, "--gamma", last, in.gamma); !error.empty()) return error;
  return read_parameter(given.beta, "--beta", last, in.beta);
}

void print_plan(const std::string& plan, const std::string& explanation) {
  std::printf("plan:       %s\n", plan.c_str());
  for (std::size_t start = 0, end; (end = explanation.find('\n', start)) != std::string::npos; start = end + 1) {
    std::printf("            %s\n", explanation.substr(start, end - start).c_str());
  }
}

void print_timing(const char* what, const timing& time) {
  if (time.rows == 0) return;
  const double rate = time.bytes / time.microseconds * 1e-3;
  const double copy_rate = time.copy_bytes / time.copy_microseconds * 1e-3;
  std::printf("%s %" PRId64 " rows: %.2f us, %.0f GB/s, %.2f of a copy (%.0f GB/s)\n", what, time.rows,
              time.microseconds, rate, rate / copy_rate, copy_rate);
}

template <class T>
bool print_verdict(const comparison& found) {
  const bool pass = found.wrong == 0;
  if (found.beyond_range > 0) {
    std::printf("not judged: %" PRId64 " rows with an infinity or beyond the range of float\n", found.beyond_range);
  }
  std::printf("max error:  %.3g absolute, %.3g ulp", found.absolute, found.units);
  if (sizeof(T) == 4) {
    std::printf(" of max(|y|, |gamma|, |beta|); bound %g ulp", float_bound);
  } else {
    std::printf(", at most %d step from the correctly rounded value; bound %d step", found.steps, narrow_bound);
  }
  std::printf(": %s\n", pass ? "PASS" : "FAIL");
  if (found.cancelled > 0) {
    std::printf("cancelled:  %" PRId64
                " elements beside, small differences of gamma's and beta's terms: %.3g ulp of float",
                found.cancelled, found.cancelled_units);
    std::printf(" of max(|y|, |gamma|, |beta|); bound %g ulp\n", float_bound);
  }
  if (!pass) std::printf("outside:    %" PRId64 " elements\n", found.wrong);
  return pass;
}

// float16 for half, otherwise float32: NumPy has no bfloat16, and each of its values is a float32.
template <class T>
std::string write_output(const std::string& path, const std::vector<std::int64_t>& shape, const std::vector<T>& y) {
  npy::array out;
  out.type = std::is_same_v<T, __half> ? npy::element::float16 : npy::element::float32;
  out.shape = shape;
  const std::size_t size = npy::name_of(out.type).bytes;
  out.bytes.resize(y.size() * size);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float value = static_cast<float>(to_double(y[i]));
    std::memcpy(out.bytes.data() + i * size, size == 2 ? static_cast<const void*>(&y[i]) : &value, size);
  }
  return npy::write(path, out, ".part" + std::to_string(getpid()));
}

template <class T>
int compute(const arguments& given, const input& in, const std::string& no_gpu) {
  const bool on_gpu = no_gpu.empty();
  std::vector<T> x;
  if (std::string error = convert(given.x, in.x, given.dtype, x); !error.empty()) return complain(error);
  std::vector<T> y(x.size());
  const problem<T> task{x.data(),
                        given.gamma.empty() ? nullptr : in.gamma.data(),
                        given.beta.empty() ? nullptr : in.beta.data(),
                        y.data(),
                        in.rows,
                        in.cols,
                        given.eps_value};
#if defined(EXAMPLES_HAVE_CUDA)
  const outcome done = on_gpu ? run_on_gpu(task) : run_on_cpu(task);
#else
  const outcome done = run_on_cpu(task);
#endif
  if (!done.error.empty()) return complain(done.error);

  std::printf("input:      %s, %s %s, computed in %s, eps %s\n", given.x.c_str(), npy::shape_text(in.x).c_str(),
              npy::name_of(in.x.type).text, given.dtype.c_str(), given.eps.c_str());
  std::printf("back end:   %s\n", on_gpu ? ("GPU, " + done.device).c_str() : "CPU executor");
  if (!on_gpu && given.backend == "auto") std::printf("no GPU:     %s\n", no_gpu.c_str());
  print_plan(done.plan, given.explain ? done.explanation : std::string());
  const bool pass = print_verdict<T>(compare(task));
  print_timing("speed:     ", done.as_given);
  print_timing("repeated:  ", done.repeated);
  if (!pass) return exit_outside_bound;

  if (std::string error = write_output(given.out, in.x.shape, y); !error.empty()) return complain(error);
  std::printf("output:     %s\n", given.out.c_str());
  return exit_within_bound;
}

int run(int count, char** words) {
  arguments given;
  if (std::string error = parse(count, words, given); !error.empty()) return complain(error);
  if (given.help) {
    std::fputs(usage, stdout);
    return exit_within_bound;
  }
#if defined(EXAMPLES_HAVE_CUDA)
  const std::string no_gpu = given.backend == "cpu" ? "not asked for" : why_no_gpu();
#else
  const std::string no_gpu = "this program was built without a CUDA compiler";
#endif
  if (given.backend == "gpu" && !no_gpu.empty()) return complain("--backend gpu: " + no_gpu);
  if (std::string error = npy::why_not_writable(given.out); !error.empty()) return complain(error);
  input in;
  if (std::string error = read_input(given, in); !error.empty()) return complain(error);
  if (given.dtype.empty()) given.dtype = in.x.type == npy::element::float16 ? "half" : "float";
  if (given.dtype == "half") return compute<__half>(given, in, no_gpu);
  if (given.dtype == "bfloat16") return compute<__nv_bfloat16>(given, in, no_gpu);
  return compute<float>(given, in, no_gpu);
}

}  // namespace

int main(int count, char** words) {
  // A file that may not grow is then a failed write, with a sentence, and no killed process that leaves half a file.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(count, words);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory");
  }
}
