// SPDX-License-Identifier: MIT
//
// The device memory of a row op's benchmark: large tensors that every shape reinterprets as [rows, cols], and
// parameters of one row. They are allocated and filled when a case first asks for them, and live as long as the owner.
// Host only.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "device.hpp"
#include "dtype_name.hpp"
#include "random_fill.cuh"

namespace rowfold_bench {

constexpr int widest_row = 262144 + 8;

/// Tensors by number. Asking for the same number as another element type gives the same memory with new values, so that
/// a case must ask for its tensors before it runs, and not keep another case's.
class row_tensors {
 public:
  /// `elements` of each large tensor; a row's worth is added for rounding, shifted pointers, and widths above it.
  explicit row_tensors(std::size_t elements) : elements_(elements + widest_row) {}

  std::size_t elements() const { return elements_; }

  /// Large tensor `slot` of random values (normal, mean 0.5, deviation 2). `columns` times as many elements for a
  /// tensor that has so many per column of the op.
  template <class T>
  T* input(int slot, int columns = 1) {
    return filled<T>(slot, elements_ * static_cast<std::size_t>(columns), 0.5f, 2.0f);
  }

  /// Large tensor `output_slots + slot`, as it was left.
  template <class T>
  T* output(int slot, int columns = 1) {
    constexpr std::size_t bytes = sizeof(T) < sizeof(float) ? sizeof(float) : sizeof(T);
    entry& place = sized(output_slots + slot, elements_ * static_cast<std::size_t>(columns) * bytes);
    place.type = nullptr;
    return place.memory->as<T>();
  }

  /// widest_row random values: a vector that all rows share. gamma: mean 1; beta: mean 0; both with deviation 0.25.
  template <class T>
  T* parameter(int slot, float mean) {
    return filled<T>(parameter_slots + slot, widest_row, mean, 0.25f);
  }

 private:
  static constexpr int output_slots = 100;
  static constexpr int parameter_slots = 200;

  struct entry {
    std::unique_ptr<device_memory> memory;
    const char* type = nullptr;  // the name of what it is filled with
  };

  entry& sized(int slot, std::size_t bytes) {
    entry& place = entries_[slot];
    if (!place.memory || place.memory->bytes() < bytes) {
      place.memory.reset();  // first: there may be no room for both
      place.memory = std::make_unique<device_memory>(bytes);
      place.type = nullptr;
    }
    return place;
  }

  template <class T>
  T* filled(int slot, std::size_t count, float mean, float deviation) {
    static_assert(sizeof(T) <= sizeof(float), "places are sized for elements of up to 4 bytes, to serve any of them");
    entry& place = sized(slot, count * sizeof(float));
    if (place.type != dtype_name<T>::text) {
      fill_normal(place.memory->as<T>(), count, mean, deviation, 11 + static_cast<unsigned>(slot));
      place.type = dtype_name<T>::text;
    }
    return place.memory->as<T>();
  }

  std::size_t elements_;
  std::map<int, entry> entries_;
};

}  // namespace rowfold_bench
