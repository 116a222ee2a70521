# SPDX-License-Identifier: MIT
# rowfold_add_norm_tests(<op> TABLE <name> TESTS <name>...): the tests <op>.<name> from <name>_test.cpp in the calling folder,
# linked with the norms' kernels. The one of the name given as TABLE writes its table of measured errors, once.
function(rowfold_add_norm_tests op)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TABLE" "TESTS")
  foreach(name IN LISTS arg_TESTS)
    rowfold_add_test(${op}.${name} SOURCES ${name}_test.cpp DEVICE)
    if(TARGET test_${op}_${name})
      set_source_files_properties(${name}_test.cpp PROPERTIES COMPILE_OPTIONS -O0)
      target_link_libraries(test_${op}_${name} PRIVATE rowfold_norm_run)
    endif()
  endforeach()
  if("cpu" IN_LIST ROWFOLD_TEST_BACKENDS AND NOT ROWFOLD_SANITIZE)
    list(GET ROWFOLD_TEST_SCHEDULES 0 schedule)
    set_property(TEST ${ROWFOLD_TEST_PREFIX}${op}.${arg_TABLE}.${schedule} APPEND PROPERTY ENVIRONMENT
                 "ROWFOLD_ACCURACY_TABLE=${CMAKE_BINARY_DIR}/${op}_accuracy.md")
  endif()
endfunction()
