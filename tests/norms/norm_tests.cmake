# SPDX-License-Identifier: MIT
# rowfold_add_norm_tests(<op> TESTS <name>...): the tests <op>.<name> from <name>_test.cpp in the calling folder,
# linked with the norms' kernels.
function(rowfold_add_norm_tests op)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TESTS")
  foreach(name IN LISTS arg_TESTS)
    rowfold_add_test(${op}.${name} SOURCES ${name}_test.cpp DEVICE)
    if(TARGET test_${op}_${name})
      set_source_files_properties(${name}_test.cpp PROPERTIES COMPILE_OPTIONS -O0)
      target_link_libraries(test_${op}_${name} PRIVATE rowfold_norm_run)
    endif()
  endforeach()
endfunction()
