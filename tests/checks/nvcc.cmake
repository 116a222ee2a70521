# SPDX-License-Identifier: MIT
# The checks that need nvcc, none of them a GPU.
rowfold_add_check(headers_nvcc ${Python3_EXECUTABLE} header_checks.py nvcc --compiler ${CMAKE_CUDA_COMPILER}
                  --include ${include} --cuda-include ${rowfold_cuda_headers})

# Every tests/instantiate/<op>.cu instantiates an op for one set of types, <op>_types.cu for all of them.
set(codegen ${Python3_EXECUTABLE} codegen.py)
set(codegen_options --nvcc ${CMAKE_CUDA_COMPILER} --include ${include})
rowfold_add_check(codegen_can_fail ${codegen} self-test ${codegen_options})
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/instantiate/*.cu)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  if(NOT name MATCHES "_types$")
    # The oldest architecture that CUDA 13 compiles for, and each one with other instructions that the library uses.
    rowfold_add_check(ptx.${name} ${codegen} ptx ${source} --arch 75 80 90 100 120 --max-kernels 12 ${codegen_options})
    if(NOT name IN_LIST ROWFOLD_TEST_LEFT_OUT)
      rowfold_add_check(compile_time.${name} ${codegen} compile-time ${source} ${codegen_options})
      # Timed alone: beside another compilation even CPU seconds grow.
      set_tests_properties(${ROWFOLD_TEST_PREFIX}checks.compile_time.${name} PROPERTIES RUN_SERIAL TRUE)
    endif()
  else()
    rowfold_add_check(resources.${name} ${codegen} resources ${source} --arch 90 ${codegen_options})
  endif()
endforeach()

# NVRTC compiles every device header, and a kernel that uses them.
add_executable(rowfold_nvrtc_check nvrtc_check.cpp)
target_link_libraries(rowfold_nvrtc_check PRIVATE CUDA::nvrtc rowfold_developer)
rowfold_add_check(nvrtc rowfold_nvrtc_check nvrtc_kernel.cu ${include} ${CUDAToolkit_INCLUDE_DIRS})
