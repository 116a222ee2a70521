// SPDX-License-Identifier: MIT
// Kernels that use the primitives wrongly: each fails its launch with a sentence that names who, where, and the other
// side. A line is noted in the same expression as the call that it belongs to.
#include <cstdio>
#include <stdexcept>

#include "cpu/broken.hpp"
#include "rowfold/ptx/global_memory.cuh"

using namespace rowfold_test;

namespace {

const char* const file = "misuse_cpu_test.cpp";
std::string here(int line) { return at(file, line); }

// Runs the body under every schedule and checks that each text holds all parts; the parts are asked for after the run.
template <class Body, class Parts>
void fails_under_every_schedule(const shape& size, const Body& body, const Parts& parts) {
  for (const named_schedule& each : all_schedules()) {
    const under schedule(each.order);
    const std::string text = failure_of(size, body);
    CAPTURE(each.name, text);
    for (const std::string& part : parts()) {
      CAPTURE(part);
      CHECK(contains(text, part));
    }
  }
}

using parts = std::vector<std::string>;

}  // namespace

TEST_CASE("a barrier in divergent code") {
  int low = 0, high = 0;
  const auto body = [&] {
    if (simt::thread_rank() < 64) {
      low = __LINE__, simt::sync_block();
    } else {
      high = __LINE__, simt::sync_block();
    }
  };
  fails_under_every_schedule({128}, body, [&] { return parts{here(low), here(high), "waits at the barrier"}; });
  const under schedule(cpu::schedule::forward());
  CHECK(failure_of({128, 3}, body) == "block 0 thread 64 (warp 2 lane 0) is at the barrier " + here(high) +
                                          " while thread 0 waits at the barrier " + here(low));
}

TEST_CASE("a barrier that only some threads reach") {
  int barrier = 0;
  const auto body = [&] {
    if (simt::thread_rank() >= 100) return;
    barrier = __LINE__, simt::sync_block();
  };
  fails_under_every_schedule({128}, body, [&] { return parts{here(barrier), "exited"}; });
  {
    const under schedule(cpu::schedule::forward());
    CHECK(failure_of({128}, body) ==
          "block 0 thread 100 (warp 3 lane 4) exited while 100 thread(s) of its block, thread "
          "0 first, wait at the barrier " +
              here(barrier));
  }
  const under schedule(cpu::schedule::reverse());
  CHECK(failure_of({128}, body) == "block 0 thread 99 (warp 3 lane 3) waits at the barrier " + here(barrier) +
                                       ", but thread 127 of its block has exited");
}

TEST_CASE("a barrier against a warp operation: nobody can go on") {
  int barrier = 0, shuffle = 0;
  const auto body = [&] {
    if (simt::lane() < 16) {
      barrier = __LINE__, simt::sync_block();
    } else {
      shuffle = __LINE__, simt::shuffle(1, 16);
    }
  };
  fails_under_every_schedule({64}, body, [&] {
    return parts{"no thread can run any more; block 0: threads 0-15,32-47 wait in sync_block at " + here(barrier) +
                 "; threads 16-31,48-63 wait in shuffle with mask 0xffffffff at " + here(shuffle)};
  });
}

TEST_CASE("lanes with different masks") {
  int first = 0, second = 0;
  const auto body = [&] {
    if (simt::lane() < 16) {
      first = __LINE__, simt::shuffle_xor(1, 1u, 32, 0xffffffffu);
    } else {
      second = __LINE__, simt::shuffle_xor(1, 1u, 32, 0xffff0000u);
    }
  };
  // The upper lanes are content among themselves: the lower ones wait for them for ever, or find that they have gone.
  int lower = 0, upper = 0;
  const auto overlapping = [&] {
    if (simt::lane() < 16) {
      lower = __LINE__, simt::shuffle_xor(1, 1u, 32, 0x0001ffffu);
    } else {
      upper = __LINE__, simt::shuffle_xor(1, 1u, 32, 0xffffffffu);
    }
  };
  fails_under_every_schedule({32}, overlapping, [&] {
    return parts{"calls shuffle_xor with mask",
                 "waits in shuffle_xor with mask",
                 "0x0001ffff",
                 "0xffffffff",
                 here(lower),
                 here(upper)};
  });
  const under schedule(cpu::schedule::forward());
  CHECK(failure_of({32}, overlapping) ==
        "block 0 thread 16 (warp 0 lane 16) calls shuffle_xor with mask 0xffffffff at " + here(upper) +
            " while lane 0 waits in shuffle_xor with mask 0x0001ffff at " + here(lower));
  // Here the lower lanes read only each other, so what the upper ones do is no error: they have exited by then.
  CHECK(run_kernel({32}, body) == cudaSuccess);
}

TEST_CASE("lanes in different operations, or in one operation at different lines") {
  int first = 0, second = 0;
  const auto operations = [&] {
    if (simt::lane() == 5) {
      first = __LINE__, simt::any(true);
    } else {
      second = __LINE__, simt::shuffle_down(1, 1);
    }
  };
  fails_under_every_schedule({32}, operations, [&] {
    return parts{"any with mask 0xffffffff at " + here(first), "shuffle_down with mask 0xffffffff at " + here(second)};
  });
  const auto lines = [&] {
    if (simt::lane() == 5) {
      first = __LINE__, simt::sync_warp();
    } else {
      second = __LINE__, simt::sync_warp();
    }
  };
  fails_under_every_schedule({32}, lines, [&] {
    return parts{"sync_warp with mask 0xffffffff at " + here(first),
                 "sync_warp with mask 0xffffffff at " + here(second)};
  });
}

TEST_CASE("a mask that leaves out its own lane") {
  int line = 0;
  const auto body = [&] { line = __LINE__, simt::ballot(true, 0xfffffffeu); };
  fails_under_every_schedule({32}, body, [&] {
    return parts{"block 0 thread 0 (warp 0 lane 0) calls ballot at " + here(line) +
                 " but is not named in its own mask 0xfffffffe"};
  });
}

TEST_CASE("reading a lane that takes no part") {
  int line = 0;
  const auto outside_mask = [&] {
    if (simt::lane() < 16) line = __LINE__, simt::shuffle(1, 16, 32, 0x0000ffffu);
  };
  fails_under_every_schedule({32}, outside_mask, [&] {
    return parts{"reads lane 16 in shuffle at " + here(line) +
                 " with mask 0x0000ffff, but that lane is not named in its mask"};
  });
  const auto beyond_block = [&] { line = __LINE__, simt::shuffle_xor(1, 16); };
  fails_under_every_schedule({40}, beyond_block, [&] {
    return parts{"block 0 thread 32 (warp 1 lane 0) reads lane 16 in shuffle_xor at " + here(line) +
                 " with mask 0xffffffff, but that lane does not exist in this block"};
  });
  const auto exited = [&] {
    if (simt::lane() == 31) return;
    line = __LINE__, simt::shuffle_down(1, 1);
  };
  fails_under_every_schedule({32}, exited, [&] {
    return parts{"block 0 thread 30 (warp 0 lane 30) reads lane 31 in shuffle_down at " + here(line) +
                 " with mask 0xffffffff, but that lane has exited"};
  });
}

TEST_CASE("a lane that has exited is not waited for") {
  // As on hardware: the others' full mask goes on without it, as long as nobody reads it.
  for (const named_schedule& each : all_schedules()) {
    const under schedule(each.order);
    unsigned ballot = 0;
    CHECK(run_kernel({32}, [&] {
            if (simt::lane() >= 20) return;
            const unsigned votes = simt::ballot(true);
            if (simt::lane() == 0) ballot = votes;
          }) == cudaSuccess);
    CHECK(ballot == 0x000fffffu);
  }
}

TEST_CASE("a shuffle's width must be a power of two") {
  int line = 0;
  const auto body = [&] { line = __LINE__, simt::shuffle_xor(1, 1u, 12); };
  fails_under_every_schedule(
      {32}, body, [&] { return parts{"shuffles at " + here(line) + " with width 12, not a power of two up to 32"}; });
}

TEST_CASE("named barriers: wrong number, unequal counts, threads that never come") {
  int line = 0, other = 0;
  fails_under_every_schedule(
      {64}, [&] { line = __LINE__, simt::sync_named(0, 64); },
      [&] { return parts{"calls sync_named(0, 64) at " + here(line)}; });
  fails_under_every_schedule(
      {64}, [&] { line = __LINE__, simt::sync_named(16, 64); },
      [&] { return parts{"calls sync_named(16, 64) at " + here(line)}; });
  fails_under_every_schedule(
      {64}, [&] { line = __LINE__, simt::sync_named(1, 33); },
      [&] { return parts{"calls sync_named(1, 33) at " + here(line)}; });
  const auto unequal = [&] {
    if (simt::warp_rank() == 0) {
      line = __LINE__, simt::sync_named(1, 64);
    } else {
      other = __LINE__, simt::sync_named(1, 96);
    }
  };
  fails_under_every_schedule({96}, unequal, [&] { return parts{here(line), here(other), "expects 64", "expects 96"}; });
  const auto missing = [&] {
    if (simt::warp_rank() == 0) line = __LINE__, simt::sync_named(3, 64);
  };
  fails_under_every_schedule({64}, missing, [&] {
    return parts{"no thread can run any more; block 0: threads 0-31 wait in sync_named at " + here(line) +
                 "; threads 32-63 have exited"};
  });
}

TEST_CASE("a misaligned vector access") {
  alignas(16) unsigned char memory[64] = {};
  const unsigned char* const source = memory;
  fails_under_every_schedule(
      {1}, [&] { (void)rowfold::load_global<16, rowfold::load_hint::coherent>(source + 8); },
      [&] { return parts{"block 0 thread 0 (warp 0 lane 0) makes a misaligned 16-byte load at address 0x"}; });
  char address[32];
  std::snprintf(address, sizeof(address), "%p", static_cast<const void*>(memory + 6));
  fails_under_every_schedule(
      {1}, [&] { rowfold::store_global<4, rowfold::store_hint::write_back>(memory + 6, rowfold::raw_bytes<4>{{1}}); },
      [&] { return parts{std::string("makes a misaligned 4-byte store at address ") + address}; });
}

TEST_CASE("an exception in kernel code") {
  const auto standard = [] {
    if (simt::block_rank() == 1 && simt::thread_rank() == 7) throw std::runtime_error("seven");
    simt::sync_block();
  };
  fails_under_every_schedule({32, 2}, standard, [] { return parts{"block 1 thread 7 threw an exception: seven"}; });
  const auto other = [] {
    if (simt::thread_rank() == 7) throw 7;
    simt::sync_block();
  };
  fails_under_every_schedule({32}, other,
                             [] { return parts{"block 0 thread 7 threw an exception that is no std::exception"}; });
}

TEST_CASE("an error passes through device functions that may not throw") {
  struct device {
    static void function() noexcept { simt::ballot(true, 2u); }
  };
  fails_under_every_schedule(
      {1}, [] { device::function(); }, [] { return parts{"is not named in its own mask"}; });
}

TEST_CASE("a kernel cannot launch a kernel") {
  fails_under_every_schedule(
      {1}, [] { (void)run_kernel({1}, [] {}); }, [] { return parts{"launches a kernel"}; });
}

TEST_CASE("more shared memory than the launch gave") {
  struct layout {
    float values[100];
  };
  int line = 0;
  fails_under_every_schedule(
      {32, 1, 396}, [&] { line = __LINE__, simt::shared<layout>(); },
      [&] { return parts{"needs 400 bytes of shared memory at " + here(line) + " but was launched with 396"}; });
}
