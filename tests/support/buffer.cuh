// SPDX-License-Identifier: MIT
// buffer: memory that a kernel of either back end can use, between canaries.
//
// GPU: cudaMalloc; CPU: heap. data() lies `offset` elements after a 256-byte boundary, so that a test chooses its
// alignment. Canary bytes fill everything before and after the elements; canaries_intact() looks whether they changed.
// Under AddressSanitizer the canaries are also poisoned, so a single byte read or written there is reported at once,
// and forbid() poisons any stretch of elements, such as the padding between the rows of a strided tensor.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "support/check.hpp"

#if defined(__SANITIZE_ADDRESS__) && !defined(__CUDACC__)
#include <sanitizer/asan_interface.h>
#endif

namespace rowfold_test {

template <class T>
class buffer {
  static_assert(std::is_trivially_copyable<T>::value, "buffer copies bytes");

 public:
  // Elements hold no value until upload() or fill_bytes(): they start as 0xFF bytes, NaN in every floating-point type.
  explicit buffer(std::size_t count, std::size_t offset = 0)
      : count_(count), front_(guard_bytes + offset * sizeof(T)), total_(front_ + count * sizeof(T) + guard_bytes) {
#if defined(__CUDACC__)
    void* memory = nullptr;
    require_success(cudaMalloc(&memory, total_));
    base_ = static_cast<unsigned char*>(memory);
#else
    // aligned_alloc wants a multiple of the alignment; what is left over at the end belongs to the canary.
    total_ = (total_ + guard_bytes - 1) / guard_bytes * guard_bytes;
    base_ = static_cast<unsigned char*>(std::aligned_alloc(guard_bytes, total_));
    REQUIRE(base_ != nullptr);
#endif
    write(0, std::vector<unsigned char>(total_, canary));
    fill_bytes(0xFF);
    poison_canaries();
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() {
#if defined(__CUDACC__)
    (void)cudaFree(base_);
#else
    unpoison();
    std::free(base_);
#endif
  }

  T* data() { return reinterpret_cast<T*>(base_ + front_); }
  const T* data() const { return reinterpret_cast<const T*>(base_ + front_); }
  std::size_t size() const { return count_; }

  void upload(const std::vector<T>& values) {
    REQUIRE(values.size() == count_);
    std::vector<unsigned char> bytes(count_ * sizeof(T));
    if (count_ != 0) std::memcpy(bytes.data(), values.data(), bytes.size());
    write(front_, bytes);
  }

  std::vector<T> download() const {
    REQUIRE(count_ < std::size_t{1} << 40);  // or the compiler takes a size that it does not know for a negative one
    std::vector<T> values(count_);
    const std::vector<unsigned char> bytes = read();
    if (count_ != 0) std::memcpy(values.data(), bytes.data() + front_, count_ * sizeof(T));
    return values;
  }

  void fill_bytes(unsigned char value) { write(front_, std::vector<unsigned char>(count_ * sizeof(T), value)); }

  // true while no byte outside the elements has changed.
  bool canaries_intact() const {
    const std::vector<unsigned char> bytes = read();
    for (std::size_t i = 0; i < total_; ++i) {
      const bool element = i >= front_ && i < front_ + count_ * sizeof(T);
      if (!element && bytes[i] != canary) return false;
    }
    return true;
  }

  // From here on a kernel may not touch these elements; only AddressSanitizer enforces it. upload() and download()
  // still work, and forget what was forbidden.
  void forbid(std::size_t first, std::size_t elements) {
    REQUIRE(first + elements <= count_);
    poison(front_ + first * sizeof(T), elements * sizeof(T));
  }

  // Lifts what forbid() and the canaries forbade, until the next upload(), download() or canaries_intact().
  void allow_all() { unpoison(); }

 private:
  static constexpr std::size_t guard_bytes = 256;  // the alignment that cudaMalloc promises
  static constexpr unsigned char canary = 0xA5;

#if defined(__SANITIZE_ADDRESS__) && !defined(__CUDACC__)
  void poison(std::size_t first, std::size_t bytes) const { __asan_poison_memory_region(base_ + first, bytes); }
  void unpoison() const { __asan_unpoison_memory_region(base_, total_); }
#else
  void poison(std::size_t, std::size_t) const {}
  void unpoison() const {}
#endif
  void poison_canaries() const {
    const std::size_t end = front_ + count_ * sizeof(T);
    poison(0, front_);
    poison(end, total_ - end);
  }

  void write(std::size_t first, const std::vector<unsigned char>& bytes) {
    if (bytes.empty()) return;
#if defined(__CUDACC__)
    require_success(cudaMemcpy(base_ + first, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
#else
    unpoison();
    std::memcpy(base_ + first, bytes.data(), bytes.size());
    poison_canaries();
#endif
  }

  std::vector<unsigned char> read() const {
    std::vector<unsigned char> bytes(total_);
#if defined(__CUDACC__)
    require_success(cudaMemcpy(bytes.data(), base_, total_, cudaMemcpyDeviceToHost));
#else
    unpoison();
    std::memcpy(bytes.data(), base_, total_);
    poison_canaries();
#endif
    return bytes;
  }

  std::size_t count_;
  std::size_t front_;
  std::size_t total_;
  unsigned char* base_ = nullptr;
};

}  // namespace rowfold_test
