// SPDX-License-Identifier: MIT
//
// See elementwise_sweep.cuh.

#include "elementwise_sweep.cuh"

namespace rowfold_bench {
namespace {

template <int Vectors, int Threads, bool Streaming>
struct swept_tuning : rowfold::elementwise_tuning {
  static constexpr int block_threads = Threads;
  static constexpr int vectors(int) { return Vectors; }
  static constexpr int elements = 2 * Vectors;
  static constexpr bool streaming_stores = Streaming;
};

template <class T, class Tuning>
void register_tuning(session& run, lazy_vectors& data, const std::string& name, int a_offset) {
  run.register_case(vector_name<T>(name, run.elements()), [&run, &data, a_offset] {
    const vector_data& all = data.get<T>();
    return vector_add_call<T, Tuning>{all.a<T>() + a_offset, all.b<T>(), all.y<T>(),
                                      static_cast<std::int64_t>(run.elements())}
        .make();
  });
}

template <class T, int Vectors, int Threads, bool Streaming>
void register_tunings(session& run, lazy_vectors& data) {
  using tuning = swept_tuning<Vectors, Threads, Streaming>;
  const std::string end = "_t" + std::to_string(Threads) + (Streaming ? "_cs" : "_wb");
  register_tuning<T, tuning>(run, data, "vector_add_v" + std::to_string(Vectors) + end, 0);
  register_tuning<T, tuning>(run, data, "vector_add_unaligned_e" + std::to_string(tuning::elements) + end, 1);
}

template <class T, int Vectors>
void register_vectors(session& run, lazy_vectors& data) {
  register_tunings<T, Vectors, 128, false>(run, data);
  register_tunings<T, Vectors, 128, true>(run, data);
  register_tunings<T, Vectors, 256, false>(run, data);
  register_tunings<T, Vectors, 256, true>(run, data);
  register_tunings<T, Vectors, 512, false>(run, data);
  register_tunings<T, Vectors, 512, true>(run, data);
}

template <class T>
void register_type(session& run, lazy_vectors& data) {
  register_vectors<T, 1>(run, data);
  register_vectors<T, 2>(run, data);
  register_vectors<T, 4>(run, data);
  register_vectors<T, 8>(run, data);
}

enum class plain_load { ld, nc, na, cs };

template <plain_load Load>
__device__ float4 load_plain(const float4* address) {
  if constexpr (Load == plain_load::ld) {
    return *address;
  } else if constexpr (Load == plain_load::nc) {
    return __ldg(address);
  } else if constexpr (Load == plain_load::cs) {
    return __ldcs(address);
  } else {
    float4 value;
    asm("ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];"
        : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
        : "l"(address));
    return value;
  }
}

/// The kernel that anybody would write: each block adds Threads * Vectors float4, and the grid covers them exactly.
template <int Vectors, int Threads, plain_load Load, bool Streaming>
__global__ void __launch_bounds__(Threads) plain_add_kernel(const float4* a, const float4* b, float4* y) {
  const std::size_t base = static_cast<std::size_t>(blockIdx.x) * (Threads * Vectors) + threadIdx.x;
  float4 left[Vectors], right[Vectors];
#pragma unroll
  for (int i = 0; i < Vectors; ++i) {
    left[i] = load_plain<Load>(a + base + i * Threads);
    right[i] = load_plain<Load>(b + base + i * Threads);
  }
#pragma unroll
  for (int i = 0; i < Vectors; ++i) {
    const float4 sum =
        make_float4(left[i].x + right[i].x, left[i].y + right[i].y, left[i].z + right[i].z, left[i].w + right[i].w);
    if (Streaming) {
      __stcs(y + base + i * Threads, sum);
    } else {
      y[base + i * Threads] = sum;
    }
  }
}

template <int Vectors, int Threads, plain_load Load, bool Streaming>
void register_plain(session& run, lazy_vectors& data) {
  const char* loads[] = {"_ld", "_nc", "_na", "_cs"};
  const std::string name = "vector_add_plain_v" + std::to_string(Vectors) + "_t" + std::to_string(Threads) +
                           loads[static_cast<int>(Load)] + (Streaming ? "_cs" : "_wb");
  run.register_case(vector_name<float>(name, run.elements()), [&run, &data] {
    const vector_data& all = data.get<float>();
    const std::size_t block_elements = 4 * static_cast<std::size_t>(Vectors) * Threads;
    const std::size_t blocks = run.elements() / block_elements;
    const vector_add_call<float> call{all.a<float>(), all.b<float>(), all.y<float>(),
                                      static_cast<std::int64_t>(blocks * block_elements)};
    device_case work;
    work.bytes = call.bytes();
    work.label = std::to_string(blocks) + " blocks";
    work.enqueue = [call, blocks](cudaStream_t stream) {
      plain_add_kernel<Vectors, Threads, Load, Streaming><<<static_cast<unsigned>(blocks), Threads, 0, stream>>>(
          reinterpret_cast<const float4*>(call.a), reinterpret_cast<const float4*>(call.b),
          reinterpret_cast<float4*>(call.y));
      require(cudaPeekAtLastError(), "plain_add_kernel");
    };
    work.check = [call, run_once = work.enqueue] { return call.check(call.count, run_once); };
    return work;
  });
}

template <int Vectors>
void register_plain_vectors(session& run, lazy_vectors& data) {
  register_plain<Vectors, 256, plain_load::ld, false>(run, data);
  register_plain<Vectors, 256, plain_load::ld, true>(run, data);
  register_plain<Vectors, 256, plain_load::nc, false>(run, data);
  register_plain<Vectors, 256, plain_load::na, false>(run, data);
  register_plain<Vectors, 256, plain_load::na, true>(run, data);
  register_plain<Vectors, 256, plain_load::cs, false>(run, data);
  register_plain<Vectors, 256, plain_load::cs, true>(run, data);
}

}  // namespace

void register_sweep(session& run, lazy_vectors& data) {
  register_type<__nv_bfloat16>(run, data);
  register_type<float>(run, data);
  register_plain_vectors<1>(run, data);
  register_plain_vectors<2>(run, data);
  register_plain_vectors<4>(run, data);
}

}  // namespace rowfold_bench
