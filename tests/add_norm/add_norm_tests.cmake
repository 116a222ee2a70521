# SPDX-License-Identifier: MIT
# rowfold_add_add_norm_tests(<op> LINK <library>): the test of a residual addition + norm in the calling folder. The
# library holds the norm alone and its reference. The kernels of each set of types are compiled once, the checks once
# for all ops.

# The checks, compiled by the first op that asks for them.
function(rowfold_add_norm_checks)
  get_property(known GLOBAL PROPERTY rowfold_add_norm_checks)
  if(known)
    return()
  endif()
  set_property(GLOBAL PROPERTY rowfold_add_norm_checks TRUE)
  set(sources run.cpp bits.cpp accuracy.cpp arguments.cpp)
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/tests/add_norm/)
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -O0)
  rowfold_add_test_library(rowfold_add_norm_checks PREFIX add_norm SOURCES ${sources})
endfunction()

function(rowfold_add_add_norm_tests op)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LINK" "")
  rowfold_add_norm_checks()
  set(types float bfloat16 bfloat16_with_float float_with_half double)
  set(definitions)
  if(ROWFOLD_SANITIZE)
    set(definitions ROWFOLD_TEST_FEW_TYPES)
    set(types float bfloat16)  # a sanitizer looks at memory and order: wide and narrow elements
  endif()
  list(TRANSFORM types REPLACE "(.+)" "run_\\1.cpp")
  set_source_files_properties(${op}_types.cpp PROPERTIES COMPILE_OPTIONS -O0)
  rowfold_add_test_library(rowfold_${op}_run PREFIX ${op} DEFINITIONS ${definitions} KERNELS ${types} SOURCES ${op}_types.cpp
                           LINK rowfold_add_norm_checks ${arg_LINK})
  rowfold_add_tests(${op} LINK rowfold_${op}_run TESTS ${op})
endfunction()
