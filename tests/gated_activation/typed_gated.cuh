// SPDX-License-Identifier: MIT
// From an untyped call to the library's: what each of the run_*.cpp files instantiates for its activations and types.
#pragma once

#include "gated_activation/gated_op.hpp"
#include "rowfold/gated_activation.cuh"

namespace rowfold_test {

// The op's own name for an activation, where it has one, and the activation's definition.
template <class Activation>
struct named_gate;

template <>
struct named_gate<rowfold::silu> {
  static constexpr auto exact = exact_silu;
  template <class... Arguments>
  static cudaError_t pair(Arguments... arguments) {
    return rowfold::swiglu(arguments...);
  }
  template <rowfold::gate_place Place, class... Arguments>
  static cudaError_t one_tensor(Arguments... arguments) {
    return rowfold::swiglu<Place>(arguments...);
  }
};
template <>
struct named_gate<rowfold::gelu> {
  static constexpr auto exact = exact_gelu;
  template <class... Arguments>
  static cudaError_t pair(Arguments... arguments) {
    return rowfold::geglu(arguments...);
  }
  template <rowfold::gate_place Place, class... Arguments>
  static cudaError_t one_tensor(Arguments... arguments) {
    return rowfold::geglu<Place>(arguments...);
  }
};
template <>
struct named_gate<rowfold::gelu_tanh> {
  static constexpr auto exact = exact_gelu_tanh;
  template <class... Arguments>
  static cudaError_t pair(Arguments... arguments) {
    return rowfold::geglu_tanh(arguments...);
  }
  template <rowfold::gate_place Place, class... Arguments>
  static cudaError_t one_tensor(Arguments... arguments) {
    return rowfold::geglu_tanh<Place>(arguments...);
  }
};
template <>
struct named_gate<rowfold::relu> {
  static constexpr auto exact = exact_relu;
  template <class... Arguments>
  static cudaError_t pair(Arguments... arguments) {
    return rowfold::reglu(arguments...);
  }
  template <rowfold::gate_place Place, class... Arguments>
  static cudaError_t one_tensor(Arguments... arguments) {
    return rowfold::reglu<Place>(arguments...);
  }
};
template <>
struct named_gate<rowfold::sigmoid> {
  static constexpr auto exact = exact_sigmoid;
  template <class... Arguments>
  static cudaError_t pair(Arguments... arguments) {
    return rowfold::gated_activation(rowfold::sigmoid{}, arguments...);
  }
  template <rowfold::gate_place Place, class... Arguments>
  static cudaError_t one_tensor(Arguments... arguments) {
    return rowfold::gated_activation<Place>(rowfold::sigmoid{}, arguments...);
  }
};

template <class Activation, class Gate, class Value, class Y>
struct pair_form {
  static rowfold::gated_args<Gate, Value, Y> typed(const gated_call& c) {
    rowfold::gated_args<Gate, Value, Y> args;
    args.gate = static_cast<const Gate*>(c.gate);
    args.value = static_cast<const Value*>(c.value);
    args.y = static_cast<Y*>(c.y);
    args.rows = c.rows;
    args.cols = c.cols;
    args.gate_layout = c.gate_layout;
    args.value_layout = c.value_layout;
    args.y_layout = c.y_layout;
    args.request = c.request;
    args.plan = c.plan;
    return args;
  }
  static cudaError_t run_short(const gated_call& c) {
    return named_gate<Activation>::pair(static_cast<const Gate*>(c.gate), static_cast<const Value*>(c.value),
                                        static_cast<Y*>(c.y), c.rows, c.cols, c.stream);
  }
};

template <class Activation, rowfold::gate_place Place, class X, class Y>
struct one_tensor_form {
  static auto typed(const gated_call& c) {
    const X* const x = static_cast<const X*>(c.gate);
    Y* const y = static_cast<Y*>(c.y);
    if constexpr (rowfold::is_interleaved(Place)) {
      rowfold::interleaved_gated_args<X, Y, Place> args;
      args.x = x;
      args.y = y;
      args.rows = c.rows;
      args.cols = c.cols;
      args.x_layout = c.gate_layout;
      return finish(args, c);
    } else {
      return finish(rowfold::gated_halves_args<Place>(x, y, c.rows, c.cols, c.gate_layout), c);
    }
  }
  static cudaError_t run_short(const gated_call& c) {
    return named_gate<Activation>::template one_tensor<Place>(static_cast<const X*>(c.gate), static_cast<Y*>(c.y),
                                                              c.rows, c.cols, c.stream);
  }

 private:
  template <class Args>
  static Args finish(Args args, const gated_call& c) {
    args.y_layout = c.y_layout;
    args.request = c.request;
    args.plan = c.plan;
    return args;
  }
};

template <class Activation, class Form>
gated_op make_gated_op(const char* name, element gate, element value, element y) {
  gated_op op{};
  op.name = name;
  op.gate = gate;
  op.value = value;
  op.y = y;
  op.activation = named_gate<Activation>::exact;
  op.run = [](const gated_call& c) { return rowfold::gated_activation(Activation{}, Form::typed(c), c.stream); };
  op.run_short = Form::run_short;
  op.plan = [](const gated_call& c) {
    rowfold::device_info device;
    if (rowfold::current_device_info(device) != cudaSuccess) return rowfold::row_plan{};
    return rowfold::plan_gated_activation(Form::typed(c), device);
  };
  op.run_plan = [](const gated_call& c, const rowfold::row_plan& plan) {
    return rowfold::launch_gated_activation(Activation{}, Form::typed(c), plan, c.stream);
  };
  return op;
}

// Gate and value in two tensors.
template <class Activation, class Gate, class Value, class Y>
gated_op make_pair_op(const char* name, element gate, element value, element y) {
  return make_gated_op<Activation, pair_form<Activation, Gate, Value, Y>>(name, gate, value, y);
}

// Both in one.
template <class Activation, rowfold::gate_place Place, class X, class Y>
gated_op make_one_tensor_op(const char* name, element x, element y) {
  gated_op op = make_gated_op<Activation, one_tensor_form<Activation, Place, X, Y>>(name, x, x, y);
  op.one_tensor = true;
  op.place = Place;
  return op;
}

}  // namespace rowfold_test
