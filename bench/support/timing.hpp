// SPDX-License-Identifier: MIT
//
// Device time of one launch, by CUDA events around groups of launches.
//
// An event pair costs about two microseconds of its own, which is 1 % of a 250 microsecond kernel. So one pair
// spans a group of launches that lasts at least `group_seconds`, and the queue is never empty when the first event is
// reached (a launch stands before it), so that the host's launch latency stays out of the figure. What remains in it
// is the gap between consecutive kernels of one stream, as in real use. Host only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "device.hpp"

namespace rowfold_bench {

/// How long a case is measured.
struct timing_options {
  int groups = 11;                ///< timings of which the median is reported; at least 7 for a figure to publish
  double group_seconds = 5.0e-3;  ///< 2 microseconds of event cost are 0.04 % of it
  /// Rest before each group, in group lengths. Memory-bound kernels back to back for a second reach an H200's power
  /// cap, which then lowers the clocks of whatever comes next by 10 % and more (seen: 1980 to 1740 MHz); with rests it
  /// does not.
  double rest = 4;
  bool one_launch = false;  ///< each group is one launch: for a run under a checking tool, not for figures
};

/// Times groups of `launch(stream)` on one stream. The constructor warms up and chooses the group's size.
template <class Launch>
class group_timer {
 public:
  group_timer(cudaStream_t stream, const timing_options& options, const Launch& launch)
      : stream_(stream), launch_(launch) {
    if (options.one_launch) return;
    launch_(stream_);                      // the first launch loads the kernel's code
    const double first = group_seconds();  // one launch, to know how many make a group
    const double wanted = options.group_seconds / std::max(first, 1.0e-6);
    launches_ = static_cast<int>(std::ceil(std::min(std::max(wanted, 1.0), 4096.0)));
    rest_seconds_ = options.rest * std::max(options.group_seconds, first);
    static_cast<void>(group_seconds());  // one whole group at full clocks before the first that counts
  }

  int launches() const { return launches_; }

  /// Seconds per launch of one group; returns when the group has finished.
  double seconds() { return group_seconds() / launches_; }

 private:
  double group_seconds() {
    std::this_thread::sleep_for(std::chrono::duration<double>(rest_seconds_));
    launch_(stream_);  // keeps the queue busy until the first event's successor has arrived
    first_.record(stream_);
    for (int i = 0; i < launches_; ++i) launch_(stream_);
    last_.record(stream_);
    require(cudaEventSynchronize(last_.get()), "cudaEventSynchronize");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, first_.get(), last_.get()), "cudaEventElapsedTime");
    return 1.0e-3 * static_cast<double>(milliseconds);
  }

  cudaStream_t stream_;
  Launch launch_;
  int launches_ = 1;
  double rest_seconds_ = 0;
  device_event first_;
  device_event last_;
};

}  // namespace rowfold_bench
