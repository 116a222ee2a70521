// SPDX-License-Identifier: MIT
// Where a kernel called a primitive: the source line that the executor's messages name.
//
// Not in the executor's namespace: an argument of this type would drag that namespace's functions into unqualified
// calls.
//
// A function of the simt/ contract takes one as its last, defaulted parameter, so that the line is the caller's without
// a macro. Within a shared helper it is the helper's line.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
struct call_site {
  const char* file = "";
  int line = 0;

  // Evaluated in a default argument, the builtins give the line of the call that left the argument out.
  static constexpr call_site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return call_site{file, line};
  }

  // The file's name without its folders, for messages.
  const char* file_name() const {
    const char* name = file;
    for (const char* at = file; *at != '\0'; ++at) {
      if (*at == '/') name = at + 1;
    }
    return name;
  }

  // Two files of one name in different folders count as different, equal text at different addresses as equal.
  friend bool operator==(const call_site& a, const call_site& b) {
    return a.line == b.line && (a.file == b.file || __builtin_strcmp(a.file, b.file) == 0);
  }
  friend bool operator!=(const call_site& a, const call_site& b) { return !(a == b); }
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold
