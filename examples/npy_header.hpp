// SPDX-License-Identifier: MIT
// The header of a .npy file: a Python dictionary with the keys 'descr', 'fortran_order' and 'shape', padded by blanks
// and ended by a newline. Reading is strict: each key once and nothing else. Plain host code.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace npy {

enum class element { float16, float32, float64 };

struct element_name {
  element type;
  std::size_t bytes;
  const char* descr;  // as the file spells it
  const char* text;   // as people do
};
inline constexpr element_name element_names[] = {{element::float16, 2, "<f2", "float16"},
                                                 {element::float32, 4, "<f4", "float32"},
                                                 {element::float64, 8, "<f8", "float64"}};
constexpr const element_name& name_of(element type) { return element_names[static_cast<int>(type)]; }

namespace detail {

// Walks over the header's dictionary. Every step returns false where the text is not what it must be.
class cursor {
 public:
  explicit cursor(const std::string& text) : text_(text) {}

  bool take(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool quoted(std::string& value) {
    skip_blanks();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string::npos) return false;
    value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  bool boolean(bool& value) {
    skip_blanks();
    value = text_.compare(at_, 4, "True") == 0;
    if (!value && text_.compare(at_, 5, "False") != 0) return false;
    at_ += value ? 4 : 5;
    return true;
  }

  // A tuple of whole numbers, "()", "(3,)" or "(3, 4)". A negative or unrepresentable number is left as -1 or the
  // largest number: the caller has a better sentence for it than "broken header".
  bool tuple(std::vector<std::int64_t>& values) {
    values.clear();
    if (!take('(')) return false;
    bool comma = true;
    while (!take(')')) {
      std::int64_t value = 0;
      if (!comma || !number(value)) return false;
      values.push_back(value);
      comma = take(',');
    }
    return values.size() != 1 || comma;  // "(3)" is a number, not a tuple
  }

  bool only_padding_left() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ + 1 == text_.size() && text_[at_] == '\n';
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool number(std::int64_t& value) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const bool negative = take('-');
    skip_blanks();
    const std::size_t first = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const std::int64_t digit = text_[at_] - '0';
      value = value > (largest - digit) / 10 ? largest : value * 10 + digit;
    }
    if (negative) value = -1;
    return at_ > first;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

struct header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

inline bool parse(const std::string& text, header& out) {
  cursor at(text);
  bool seen_descr = false, seen_order = false, seen_shape = false, comma = true;
  if (!at.take('{')) return false;
  while (!at.take('}')) {
    std::string key;
    if (!comma || !at.quoted(key) || !at.take(':')) return false;
    bool* seen = key == "descr" ? &seen_descr : key == "fortran_order" ? &seen_order : &seen_shape;
    if (*seen || (seen == &seen_shape && key != "shape")) return false;
    *seen = true;
    const bool read = seen == &seen_descr   ? at.quoted(out.descr)
                      : seen == &seen_order ? at.boolean(out.fortran_order)
                                            : at.tuple(out.shape);
    if (!read) return false;
    comma = at.take(',');
  }
  return seen_descr && seen_order && seen_shape && at.only_padding_left();
}

// Empty, or what keeps this header from being read; `type` and `bytes` are its element type and size of data.
inline std::string judge(const header& head, element& type, std::uint64_t& bytes) {
  const element_name* found = nullptr;
  for (const element_name& name : element_names) {
    if (head.descr == name.descr) found = &name;
  }
  if (found == nullptr) {
    if (!head.descr.empty() && head.descr[0] == '>') return "is big-endian ('" + head.descr + "')";
    return "has dtype '" + head.descr + "', not float16, float32 or float64";
  }
  if (head.fortran_order) return "is in Fortran order, not C order";
  if (head.shape.empty()) return "has no axis (a 0-d array)";
  // Axes of length 0 count as 1 here: an empty array whose other axes overflow is as senseless as a full one.
  std::uint64_t elements = 1;
  bool is_empty = false;
  for (const std::int64_t length : head.shape) {
    if (length < 0) return "has a negative shape";
    is_empty = is_empty || length == 0;
    const std::uint64_t factor = length == 0 ? 1 : static_cast<std::uint64_t>(length);
    if (elements > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / found->bytes / factor) {
      return "has a shape too huge for any memory";
    }
    elements *= factor;
  }
  type = found->type;
  bytes = is_empty ? 0 : elements * found->bytes;
  return {};
}

// What stands before the data in a file of version 1, padded so that the data starts at a multiple of 64, as NumPy's
// own does. Empty where the text is too long for that version.
inline std::string format(element type, const std::vector<std::int64_t>& shape) {
  std::string text = std::string("{'descr': '") + name_of(type).descr + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t length : shape) text += std::to_string(length) + ", ";
  text.resize(text.size() - (shape.size() == 1 ? 1 : 2));  // "(3, 4)", yet "(3,)"
  text += "), }";
  constexpr std::size_t before_text = 10, alignment = 64;
  text.append((alignment - (before_text + text.size() + 1) % alignment) % alignment, ' ');
  text += '\n';
  if (text.size() > 0xffff) return {};
  const char length[] = {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(length, 2) + text;
}

}  // namespace detail
}  // namespace npy
