# SPDX-License-Identifier: MIT
# What tests, benchmarks and examples share: build type, the CUDA compiler where there is one, warnings, sanitizers.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Architecture of a development build: one, never "native" (an error where there is no GPU).
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "CUDA architectures")
endif()
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)  # a test or benchmark binary then runs on a machine with a driver alone
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_EXTENSIONS OFF)

if(NOT TARGET Boost::context)
  message(FATAL_ERROR "rowfold: Boost.Context 1.74 or later not found (Debian: libboost-context-dev)")
endif()

# The python3 on PATH, not the newest version that is installed somewhere.
find_program(Python3_EXECUTABLE NAMES python3)

set(ROWFOLD_SANITIZE "" CACHE STRING "Sanitizers of the CPU tests: empty, address (with undefined behaviour) or thread")
set_property(CACHE ROWFOLD_SANITIZE PROPERTY STRINGS "" address thread)

# Warnings are errors in everything that the project builds itself.
set(rowfold_warning_flags -Wall -Wextra -Wconversion -Wshadow -Werror)
list(JOIN rowfold_warning_flags "," rowfold_warning_flags_comma)
add_library(rowfold_developer INTERFACE)
target_compile_options(
  rowfold_developer
  INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${rowfold_warning_flags}>"
            "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--Werror all-warnings -Xcompiler=${rowfold_warning_flags_comma}>")
if(ROWFOLD_SANITIZE STREQUAL "address")
  set(sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(ROWFOLD_SANITIZE STREQUAL "thread")
  set(sanitizer_flags -fsanitize=thread -fno-omit-frame-pointer)
elseif(ROWFOLD_SANITIZE)
  message(FATAL_ERROR "rowfold: ROWFOLD_SANITIZE is ${ROWFOLD_SANITIZE}, but only address and thread are known.")
endif()
if(ROWFOLD_SANITIZE)
  target_compile_options(rowfold_developer INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${sanitizer_flags}>")
  target_link_options(rowfold_developer INTERFACE ${sanitizer_flags})
endif()

# Kernels that randomise addresses widely (vm.mmap_rnd_bits = 32) make older ThreadSanitizer runtimes stop with
# "unexpected memory mapping" before main; its programs then run without that randomisation.
if(ROWFOLD_SANITIZE STREQUAL "thread")
  set(probe ${CMAKE_BINARY_DIR}/thread_sanitizer_probe)
  file(WRITE ${probe}.cpp "int main() {}\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -fsanitize=thread ${probe}.cpp -o ${probe} COMMAND_ERROR_IS_FATAL ANY)
  foreach(attempt RANGE 10)  # it depends on the addresses of each run
    execute_process(COMMAND ${probe} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status)
      set(CMAKE_CROSSCOMPILING_EMULATOR setarch -R)  # CTest starts test programs with it
      message(STATUS "rowfold: ThreadSanitizer needs setarch -R on this machine")
      break()
    endif()
  endforeach()
endif()
