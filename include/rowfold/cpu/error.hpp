// SPDX-License-Identifier: MIT
// The text of the last launch's error, kept in a plain buffer of the launching host thread.
//
// A buffer and not a string: an error is written on the stack of a kernel that is then abandoned, so nothing may be
// left to free.
#pragma once

#include <cstdarg>
#include <cstdio>

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

class error_text {
 public:
  void clear() { text_[length_ = 0] = '\0'; }
  const char* text() const { return text_; }

  // Adds to the text as printf would; what does not fit is cut off.
  __attribute__((format(printf, 2, 3))) void append(const char* format, ...) {
    va_list values;
    va_start(values, format);
    append_list(format, values);
    va_end(values);
  }
  void append_list(const char* format, va_list values) {
    const int wanted = std::vsnprintf(text_ + length_, sizeof(text_) - length_, format, values);
    if (wanted > 0) length_ += static_cast<unsigned>(wanted);
    if (length_ >= sizeof(text_)) length_ = sizeof(text_) - 1;
  }

 private:
  unsigned length_ = 0;
  char text_[4096] = {};
};

inline thread_local error_text launch_error;

// Why the calling host thread's last launch failed, or "" if it did not. Valid until that thread's next launch.
inline const char* last_error() { return launch_error.text(); }

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
