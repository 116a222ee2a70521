// SPDX-License-Identifier: MIT
// The command line of the layer_norm tool. Plain host code.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

struct arguments {
  std::string x, gamma, beta, out;
  std::string dtype;  // empty: the type of x's file
  std::string backend = "auto";
  std::string eps = "1e-5";
  double eps_value = 0;
  bool explain = false;
  bool help = false;
};

inline constexpr const char* usage =
    "layer_norm x.npy [--gamma g.npy] [--beta b.npy] --out y.npy [--dtype float|half|bfloat16] [--eps E]\n"
    "           [--backend auto|cpu|gpu] [--explain]\n"
    "\n"
    "Normalises every row of x (its last axis): y = (x - mean) / sqrt(variance + eps) * gamma + beta, with the "
    "variance\n"
    "over all elements of the row. The files are .npy, float16, float32 or float64, little-endian, in C order.\n"
    "\n"
    "  --gamma, --beta  one value per column, used as float32; without them 1 and 0\n"
    "  --out            y, of the shape of x: float16 for half, otherwise float32; never left half written\n"
    "  --dtype          the type that x and y have in memory; by default that of x's file (float64: float)\n"
    "  --eps            0 or more, 1e-5 by default\n"
    "  --backend        auto takes the GPU where there is one\n"
    "  --explain        print the launch plan in full, with its reasons\n"
    "\n"
    "The result is compared with the same computation in float64. Exit status: 0 within the bound, 1 outside it "
    "(nothing\n"
    "is written), 2 for input that cannot be used or a failed run (one line on stderr, nothing is written).\n";

// Reads the command line into `out`. Returns an empty string or what is wrong with it.
[[nodiscard]] inline std::string parse(int count, char** words, arguments& out) {
  struct option {
    const char* name;
    std::string* value;
    bool seen;
  };
  option options[] = {{"--gamma", &out.gamma, false}, {"--beta", &out.beta, false},       {"--out", &out.out, false},
                      {"--dtype", &out.dtype, false}, {"--backend", &out.backend, false}, {"--eps", &out.eps, false}};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--help" || word == "--explain") {
      (word == "--help" ? out.help : out.explain) = true;
      continue;
    }
    option* found = nullptr;
    for (option& candidate : options) {
      if (word == candidate.name) found = &candidate;
    }
    if (found != nullptr) {
      if (found->seen) return word + " is given twice";
      if (i + 1 == count || std::string(words[i + 1]).compare(0, 2, "--") == 0) return word + " needs a value";
      *found->value = words[++i];
      if (found->value->empty()) return word + " needs a value";
      found->seen = true;
    } else if (word.size() > 1 && word[0] == '-') {
      return "unknown flag " + word + " (--help lists them)";
    } else if (word.empty() || !out.x.empty()) {
      return "exactly one input file is wanted, and '" + word + "' is not the first";
    } else {
      out.x = word;
    }
  }
  if (out.help) return {};
  if (out.x.empty()) return "no input file is given (--help shows how)";
  if (out.out.empty()) return "--out is missing (--help shows how)";
  if (!out.dtype.empty() && out.dtype != "float" && out.dtype != "half" && out.dtype != "bfloat16") {
    return "--dtype " + out.dtype + " is none of float, half, bfloat16";
  }
  if (out.backend != "auto" && out.backend != "cpu" && out.backend != "gpu") {
    return "--backend " + out.backend + " is none of auto, cpu, gpu";
  }
  char* end = nullptr;
  out.eps_value = std::strtod(out.eps.c_str(), &end);
  // eps is rounded to float once, so it must still be finite there.
  if (*end != '\0' || !(out.eps_value >= 0) || !std::isfinite(static_cast<float>(out.eps_value))) {
    return "--eps " + out.eps + " is not a finite number of 0 or more";
  }
  return {};
}
