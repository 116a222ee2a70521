// SPDX-License-Identifier: MIT
// Compiles a kernel source with NVRTC for sm_90, after every device header (.cuh) of the library.
//
//   rowfold_nvrtc_check KERNEL.cu INCLUDE [INCLUDE...]      the first INCLUDE holds rowfold/
//
// Needs no GPU. Prints NVRTC's log; exit status 0 where it compiled without a warning and made machine code.
#include <nvrtc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

void require(nvrtcResult result, const char* what) {
  if (result == NVRTC_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, nvrtcGetErrorString(result));
  std::exit(1);
}

std::vector<std::string> device_headers(const std::filesystem::path& include) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(include / "rowfold"))
    if (entry.path().extension() == ".cuh") names.push_back(entry.path().lexically_relative(include).generic_string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s KERNEL.cu INCLUDE [INCLUDE...]\n", argv[0]);
    return 2;
  }
  const std::string kernel = read(argv[1]);
  const std::vector<std::string> headers = device_headers(argv[2]);
  if (kernel.empty() || headers.empty()) {
    std::fprintf(stderr, "no kernel source or no header\n");
    return 1;
  }
  std::string source;
  for (const std::string& header : headers) source += "#include \"" + header + "\"\n";
  source += kernel;

  std::vector<std::string> options = {"-arch=sm_90", "-std=c++17"};
  for (int i = 2; i < argc; ++i) options.push_back(std::string("-I") + argv[i]);
  std::vector<const char*> option_pointers;
  for (const std::string& option : options) option_pointers.push_back(option.c_str());

  nvrtcProgram program;
  require(nvrtcCreateProgram(&program, source.c_str(), argv[1], 0, nullptr, nullptr), "create");
  const nvrtcResult result =
      nvrtcCompileProgram(program, static_cast<int>(option_pointers.size()), option_pointers.data());
  std::size_t size = 0;
  require(nvrtcGetProgramLogSize(program, &size), "log size");
  std::string log(size, '\0');
  require(nvrtcGetProgramLog(program, log.data()), "log");
  std::printf("%s\n", log.c_str());
  require(result, "compile");
  require(nvrtcGetCUBINSize(program, &size), "machine code");
  std::printf("NVRTC: %zu headers, %zu bytes of machine code\n", headers.size(), size);
  require(nvrtcDestroyProgram(&program), "destroy");
  const bool warned = log.find("warning") != std::string::npos;
  return size > 0 && !warned ? 0 : 1;
}
