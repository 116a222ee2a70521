# SPDX-License-Identifier: MIT
# Where the CUDA headers are that the CPU back end includes (cuda_runtime.h, cuda_fp16.h, cuda_bf16.h, cuda_fp8.h).
# No CUDA compiler, library or driver is needed for them.

# rowfold_find_cuda_headers(<variable>): sets the variable to the folder, or to an empty string. Order: the cache
# variable ROWFOLD_CUDA_INCLUDE_DIR, then a CUDA toolkit as find_package(CUDAToolkit) sees it.
function(rowfold_find_cuda_headers variable)
  set(ROWFOLD_CUDA_INCLUDE_DIR "" CACHE PATH "Folder of cuda_runtime.h for the CPU back end (empty: ask the CUDA toolkit)")
  set(found "${ROWFOLD_CUDA_INCLUDE_DIR}")
  if(NOT found)
    find_package(CUDAToolkit QUIET)
    foreach(folder IN LISTS CUDAToolkit_INCLUDE_DIRS)
      if(EXISTS "${folder}/cuda_runtime.h")
        set(found "${folder}")
        break()
      endif()
    endforeach()
  endif()
  if(found AND NOT EXISTS "${found}/cuda_runtime.h")
    message(FATAL_ERROR "rowfold: ROWFOLD_CUDA_INCLUDE_DIR is ${found}, but there is no cuda_runtime.h in it.")
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# rowfold_fetch_cuda_headers(<variable>): for a build of rowfold itself without a toolkit: fetches the headers.
function(rowfold_fetch_cuda_headers variable)
  execute_process(COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/cuda_headers.sh OUTPUT_VARIABLE folder
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "rowfold: the CPU back end needs the CUDA headers; set ROWFOLD_CUDA_INCLUDE_DIR to their folder.")
  endif()
  set(${variable} "${folder}" PARENT_SCOPE)
endfunction()
