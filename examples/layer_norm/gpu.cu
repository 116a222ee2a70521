// SPDX-License-Identifier: MIT
// The layer_norm tool's GPU back end: copies the rows over, runs the kernel, copies y back, and measures time twice, on
// the rows as given and on the rows repeated until they fill far more than the caches. Device memory is the tool's
// own: the library allocates none.
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "library_call.cuh"

namespace {

void must(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

// Device memory for `count` elements; none for 0.
template <class T>
class device_memory {
 public:
  explicit device_memory(std::size_t count) {
    if (count > 0) must(cudaMalloc(&data_, count * sizeof(T)), "no memory on the GPU");
  }
  device_memory(const T* host, std::size_t count) : device_memory(host == nullptr ? 0 : count) {
    if (data_ != nullptr) must(cudaMemcpy(data_, host, count * sizeof(T), cudaMemcpyHostToDevice), "copy to the GPU");
  }
  ~device_memory() { cudaFree(data_); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

class event {
 public:
  event() { must(cudaEventCreate(&handle_), "event"); }
  ~event() { cudaEventDestroy(handle_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  void record() { must(cudaEventRecord(handle_), "event"); }
  double microseconds_since(const event& start) {
    must(cudaEventSynchronize(handle_), "the kernel failed");
    float milliseconds = 0;
    must(cudaEventElapsedTime(&milliseconds, start.handle_, handle_), "event");
    return milliseconds * 1e3;
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

// Microseconds of one call of `work`, which launches something: the median of 11 samples of `calls` calls in a row,
// after one sample that warms up.
template <class Work>
double median_microseconds(int calls, Work&& work) {
  constexpr int samples = 11;
  std::vector<double> times;
  for (int i = 0; i <= samples; ++i) {
    event start, stop;
    start.record();
    for (int call = 0; call < calls; ++call) must(work(), "launch");
    stop.record();
    const double time = stop.microseconds_since(start) / calls;
    if (i > 0) times.push_back(time);
  }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return times[samples / 2];
}

// Times the kernel, and a copy of x over y in the same run. y holds no result afterwards.
template <class T>
timing measure(const problem<T>& task, const rowfold::row_plan& made, int calls) {
  const std::size_t bytes = static_cast<std::size_t>(task.rows) * static_cast<std::size_t>(task.cols) * sizeof(T);
  timing result;
  result.rows = task.rows;
  result.bytes = static_cast<double>(made.minimal_bytes);
  result.copy_bytes = 2.0 * static_cast<double>(bytes);
  result.microseconds = median_microseconds(calls, [&] { return launch_plan(task, made); });
  result.copy_microseconds = median_microseconds(
      calls, [&] { return cudaMemcpyAsync(task.y, task.x, bytes, cudaMemcpyDeviceToDevice, nullptr); });
  return result;
}

// The rows of `task`, whose right result is in `y` on the host, again and again, 2^28 elements or a quarter of the free
// memory if that is less. Not measured where the rows alone are more than half of that.
template <class T>
timing measure_repeated(const problem<T>& task, const T* y) {
  std::size_t free_bytes = 0, all_bytes = 0;
  must(cudaMemGetInfo(&free_bytes, &all_bytes), "memory of the GPU");
  const std::int64_t wanted =
      std::min<std::int64_t>(std::int64_t{1} << 28, static_cast<std::int64_t>(free_bytes / 4 / sizeof(T)));
  const std::int64_t size = task.rows * task.cols;
  const std::int64_t repeats = wanted / size;
  if (repeats < 2) return {};
  const std::size_t count = static_cast<std::size_t>(repeats * size);
  const device_memory<T> x(count), out(count);
  for (std::int64_t i = 0; i < repeats; ++i) {
    must(cudaMemcpyAsync(x.data() + i * size, task.x, static_cast<std::size_t>(size) * sizeof(T),
                         cudaMemcpyDeviceToDevice, nullptr),
         "copy on the GPU");
  }
  problem<T> large = task;
  large.x = x.data();
  large.y = out.data();
  large.rows = repeats * task.rows;
  outcome done;
  const rowfold::row_plan made = make_plan(large, done);
  if (!done.error.empty()) throw std::runtime_error(done.error);

  must(launch_plan(large, made), "launch");
  std::vector<unsigned char> last(static_cast<std::size_t>(size) * sizeof(T));
  must(cudaMemcpy(last.data(), out.data() + (repeats - 1) * size, last.size(), cudaMemcpyDeviceToHost), "copy back");
  if (std::memcmp(last.data(), y, last.size()) != 0) {
    throw std::runtime_error("the repeated rows gave other bits than the rows themselves");
  }
  return measure(large, made, 1);
}

template <class T>
void compute(const problem<T>& host, outcome& done) {
  int device = 0;
  cudaDeviceProp properties{};
  must(cudaGetDevice(&device), "device");
  must(cudaGetDeviceProperties(&properties, device), "device");
  done.device = properties.name;

  const std::size_t cols = static_cast<std::size_t>(host.cols);
  const std::size_t count = static_cast<std::size_t>(host.rows) * cols;
  const device_memory<T> x(host.x, count), y(count);
  const device_memory<float> gamma(host.gamma, cols), beta(host.beta, cols);
  problem<T> task = host;
  task.x = x.data();
  task.gamma = gamma.data();
  task.beta = beta.data();
  task.y = y.data();
  const rowfold::row_plan made = make_plan(task, done);
  if (!done.error.empty() || made.status == rowfold::plan_status::nothing) return;

  must(launch_plan(task, made), "launch");
  must(cudaDeviceSynchronize(), "the kernel failed");
  must(cudaMemcpy(host.y, y.data(), count * sizeof(T), cudaMemcpyDeviceToHost), "copy back");
  constexpr int calls_in_a_row = 20;  // a launch on its own takes about as long as recording an event
  done.as_given = measure(task, made, calls_in_a_row);
  done.repeated = measure_repeated(task, host.y);
}

}  // namespace

template <class T>
outcome run_on_gpu(const problem<T>& task) {
  outcome done;
  try {
    compute(task, done);
  } catch (const std::runtime_error& failure) {
    done.error = std::string("GPU: ") + failure.what();
  }
  return done;
}

template outcome run_on_gpu(const problem<float>&);
template outcome run_on_gpu(const problem<__half>&);
template outcome run_on_gpu(const problem<__nv_bfloat16>&);

std::string why_no_gpu() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return {};
  return std::string("no CUDA device can be used") +
         (error == cudaSuccess ? "" : std::string(" (") + cudaGetErrorString(error) + ")");
}
