// SPDX-License-Identifier: MIT
// Reads and writes NumPy's .npy files: float16, float32 or float64, little-endian, C order, one axis or more.
//
// The format: six magic bytes, two version bytes, a little-endian header length (two bytes in version 1, four later), a
// Python dictionary as text with the keys 'descr', 'fortran_order' and 'shape', padded by blanks and ended by a
// newline, then the elements. Reading is strict: whatever is not exactly that is refused with a sentence naming the
// file. Plain host code for little-endian machines, which every CUDA host is.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "npy_header.hpp"

namespace npy {

struct array {
  element type = element::float32;
  std::vector<std::int64_t> shape;  // at least one axis; the last one is contiguous
  std::vector<unsigned char> bytes;

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size() / name_of(type).bytes); }
};

// "194 x 384".
inline std::string shape_text(const array& data) {
  std::string text;
  for (const std::int64_t length : data.shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text;
}

namespace detail {

// A file that closes itself; close() tells whether everything really went out.
class file {
 public:
  file(const std::string& path, const char* mode) : handle_(std::fopen(path.c_str(), mode)) {}
  ~file() { close(); }
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  bool read(void* data, std::size_t bytes) { return bytes == 0 || std::fread(data, 1, bytes, handle_) == bytes; }
  bool write(const void* data, std::size_t bytes) {
    return bytes == 0 || std::fwrite(data, 1, bytes, handle_) == bytes;
  }
  bool close() {
    const bool closed = handle_ == nullptr || std::fclose(handle_) == 0;
    handle_ = nullptr;
    return closed;
  }

 private:
  std::FILE* handle_;
};

inline std::string regular_file_size(const std::string& path, std::uint64_t& size) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (status.type() == std::filesystem::file_type::not_found) return "does not exist";
  if (code) return code.message();
  if (std::filesystem::is_directory(status)) return "is a folder";
  if (!std::filesystem::is_regular_file(status)) return "is not a regular file";
  size = std::filesystem::file_size(path, code);
  return code ? code.message() : std::string();
}

inline std::string read(const std::string& path, array& out) {
  std::uint64_t size = 0;
  if (std::string error = regular_file_size(path, size); !error.empty()) return error;
  file in(path, "rb");
  if (!in.is_open()) return std::strerror(errno);

  unsigned char start[12] = {};
  if (!in.read(start, 8) || std::memcmp(start, "\x93NUMPY", 6) != 0) return "is not a .npy file";
  if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
    return "is of an unknown .npy version " + std::to_string(start[6]) + "." + std::to_string(start[7]);
  }
  const std::size_t length_bytes = start[6] == 1 ? 2 : 4;
  if (!in.read(start + 8, length_bytes)) return "has a broken header: it ends too early";
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= static_cast<std::uint64_t>(start[8 + i]) << (8 * i);
  const std::uint64_t before_data = 8 + length_bytes + length;
  if (before_data > size) return "has a broken header: it ends too early";

  std::string text(length, ' ');
  if (!in.read(text.data(), text.size())) return "cannot be read";
  header head;
  if (!parse(text, head)) return "has a broken header: not {'descr': ..., 'fortran_order': ..., 'shape': ...}";
  std::uint64_t bytes = 0;
  if (std::string error = judge(head, out.type, bytes); !error.empty()) return error;

  const std::uint64_t present = size - before_data;
  if (present != bytes) {
    return std::string(present < bytes ? "is truncated: " : "has trailing bytes: ") + std::to_string(present) +
           " bytes of data where its shape means " + std::to_string(bytes);
  }
  out.shape = head.shape;
  out.bytes.resize(bytes);
  return in.read(out.bytes.data(), out.bytes.size()) ? std::string() : "cannot be read";
}

inline std::string write(const std::string& path, const array& data) {
  const std::string head = format(data.type, data.shape);
  if (head.empty()) return "its shape has too many axes for one header";

  file out(path, "wbx");  // x: never over a file that exists
  if (!out.is_open()) return std::strerror(errno);
  const bool written = out.write(head.data(), head.size()) && out.write(data.bytes.data(), data.bytes.size());
  const int reason = errno;
  if (out.close() && written) return {};
  const std::string error = std::strerror(written ? errno : reason);
  std::remove(path.c_str());
  return error;
}

}  // namespace detail

// Reads `path` into `out`. Returns an empty string, or one sentence that begins with the path and says what is wrong;
// `out` is then not to be used. May throw std::bad_alloc where the file is larger than the memory.
[[nodiscard]] inline std::string read(const std::string& path, array& out) {
  const std::string error = detail::read(path, out);
  return error.empty() ? error : path + " " + error;
}

// Empty where write() may try `path`, otherwise why it cannot work. A folder cannot be replaced, and a device or a pipe
// must not be.
[[nodiscard]] inline std::string why_not_writable(const std::string& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (std::filesystem::is_directory(status)) return path + " cannot be written: it is a folder";
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return path + " cannot be written: it is not a regular file";
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, code)) {
    return path + " cannot be written: there is no folder " + folder.string();
  }
  return {};
}

// Writes `data` to `path`, whole or not at all: first to a new file beside it (`temporary_suffix` keeps two processes
// apart), which then takes the name in one step. Returns as read() does; what was at `path` before then remains.
[[nodiscard]] inline std::string write(const std::string& path, const array& data,
                                       const std::string& temporary_suffix) {
  if (std::string error = why_not_writable(path); !error.empty()) return error;
  const std::string temporary = path + temporary_suffix;
  if (const std::string error = detail::write(temporary, data); !error.empty()) {
    return path + " cannot be written: " + error;
  }
  std::error_code code;
  std::filesystem::rename(temporary, path, code);
  if (!code) return {};
  std::remove(temporary.c_str());
  return path + " cannot be written: " + code.message();
}

}  // namespace npy
