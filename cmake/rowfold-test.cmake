# SPDX-License-Identifier: MIT
# rowfold_add_test: one test source, both back ends.
#
#   rowfold_add_test(<name> SOURCES <file>... [CPU_ONLY | GPU_ONLY] [RACE] [HOST | DEVICE])
#
# CPU: one executable per test, linked with rowfold::cpu, and one CTest entry per thread schedule
# (ROWFOLD_TEST_SCHEDULES; each entry sets the environment variable ROWFOLD_SCHEDULE). HOST says that no kernel runs in
# it: one entry, and not part of the GPU suite. RACE says that it holds cases tagged [race]: those also run in the
# thread-sanitizer build, which leaves every other test out. HOST and RACE are found without being said: HOST where no
# source includes a .cuh, RACE where a source names the tag. DEVICE says that kernels run in it although no source
# includes a .cuh (they are behind plain functions).
# GPU: every source is copied to a .cu of the test's name, by which Catch2 then knows its cases, and all of them become
# one executable, rowfold_gpu_tests (one CTest entry per test).

set(ROWFOLD_TEST_BACKENDS "cpu" CACHE STRING "Back ends to test: cpu, gpu or cpu;gpu")
set(ROWFOLD_TEST_SCHEDULES "forward;reverse;greedy_up;greedy_down;shuffle:1" CACHE STRING "Thread schedules of the CPU tests")
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/accuracy)  # where tests write the tables of the errors that they measure
set(ROWFOLD_TEST_PREFIX "" CACHE STRING "Start of every CTest name, so that several build trees fit into one summary")

# rowfold_use_check_header(<target> [O0]): support/check.hpp, and with it Catch2, comes precompiled; O0 for targets that
# are compiled without optimisation, which need a precompiled header of their own.
function(rowfold_use_check_header target)
  set(owner rowfold_check_header${ARGN})
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/${owner}.cpp" CONTENT "// The precompiled header's owner.\n")
    add_library(${owner} STATIC "${CMAKE_BINARY_DIR}/${owner}.cpp")
    target_link_libraries(${owner} PUBLIC rowfold::cpu rowfold_developer rowfold_cpu_test_main)
    if(ARGN)
      target_compile_options(${owner} PRIVATE -${ARGN})
    endif()
    target_precompile_headers(${owner} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/check.hpp)
  endif()
  if(ARGN)
    target_compile_options(${target} PRIVATE -${ARGN})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# rowfold_test_environment(<test>...): what every CPU test needs, whoever registers it.
function(rowfold_test_environment)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT
               "ASAN_OPTIONS=detect_stack_use_after_return=0" "UBSAN_OPTIONS=print_stacktrace=1")
  set_tests_properties(${ARGN} PROPERTIES TIMEOUT 300 LABELS cpu)
endfunction()

function(rowfold_add_cpu_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RACE;HOST" "" "SOURCES")
  if(ROWFOLD_SANITIZE STREQUAL "thread" AND NOT arg_RACE)
    return()
  endif()
  string(REPLACE "." "_" target "test_${name}")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE rowfold::cpu rowfold_developer rowfold_cpu_test_main)
  set(filter)
  if(ROWFOLD_SANITIZE STREQUAL "thread")
    set(filter "[race]")
  endif()
  if(arg_HOST)
    add_test(NAME ${ROWFOLD_TEST_PREFIX}${name} COMMAND ${target} ${filter})
    rowfold_test_environment(${ROWFOLD_TEST_PREFIX}${name})
    return()
  endif()
  foreach(schedule IN LISTS ROWFOLD_TEST_SCHEDULES)
    set(test "${ROWFOLD_TEST_PREFIX}${name}.${schedule}")
    add_test(NAME ${test} COMMAND ${target} ${filter})
    rowfold_test_environment(${test})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "ROWFOLD_SCHEDULE=${schedule}")
  endforeach()
  if(NOT ROWFOLD_SANITIZE)
    list(GET ROWFOLD_TEST_SCHEDULES 0 schedule)  # the tables of measured errors, once
    set_property(TEST "${ROWFOLD_TEST_PREFIX}${name}.${schedule}" APPEND PROPERTY
                 ENVIRONMENT "ROWFOLD_ACCURACY=${CMAKE_BINARY_DIR}/accuracy")
  endif()
endfunction()

function(rowfold_add_gpu_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  set(filter)
  set(copies 0)
  foreach(source IN LISTS arg_SOURCES)
    file(STRINGS "${source}" engine REGEX "#include \"rowfold/(row/[a-z_]*|launch/fold_rows|[a-z_]*)\\.cuh\"")
    # Catch2 finds cases by the name of their file, without its folder: several folders have an accuracy_test.cpp.
    string(REPLACE "." "_" copy "${name}")
    if(copies GREATER 0)
      string(APPEND copy "_${copies}")
    endif()
    math(EXPR copies "${copies} + 1")
    set(path "${CMAKE_BINARY_DIR}/gpu_tests/${copy}.cu")
    configure_file("${source}" "${path}" COPYONLY)
    list(APPEND filter "[#${copy}]")
    set_property(GLOBAL APPEND PROPERTY rowfold_gpu_sources "${path}")
    if(engine)
      set_property(GLOBAL APPEND PROPERTY rowfold_gpu_engine_sources "${path}")
    endif()
  endforeach()
  list(JOIN filter "," filter)
  set_property(GLOBAL APPEND PROPERTY rowfold_gpu_tests "${name}|${filter}")
endfunction()

function(rowfold_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CPU_ONLY;GPU_ONLY;RACE;HOST;DEVICE" "" "SOURCES")
  set(sources)
  set(device_code ${arg_DEVICE})
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    list(APPEND sources "${source}")
    set_property(GLOBAL APPEND PROPERTY rowfold_test_sources "${source}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")  # its tags and includes are read here
    file(STRINGS "${source}" race REGEX "\\[race\\]")
    file(STRINGS "${source}" device REGEX "#include.*\\.cuh\"")
    if(race)
      set(arg_RACE TRUE)
    endif()
    if(device OR source MATCHES "\\.cu$")
      set(device_code TRUE)
    endif()
  endforeach()
  if(NOT device_code)
    set(arg_HOST TRUE)
  endif()
  if("cpu" IN_LIST ROWFOLD_TEST_BACKENDS AND NOT arg_GPU_ONLY)
    set(flags)
    foreach(flag RACE HOST)
      if(arg_${flag})
        list(APPEND flags ${flag})
      endif()
    endforeach()
    rowfold_add_cpu_test(${name} SOURCES ${sources} ${flags})
  endif()
  if("gpu" IN_LIST ROWFOLD_TEST_BACKENDS AND NOT arg_CPU_ONLY AND NOT arg_HOST)
    rowfold_add_gpu_test(${name} SOURCES ${sources})
  endif()
endfunction()

# rowfold_add_test_library(<library> PREFIX <prefix> [KERNELS <file>...] [SOURCES <file>...] [LINK <library>...]
#                          [DEFINITIONS <name>...])
# What several tests share: sources that hold an op's kernels, compiled once, and others. For the CPU a library; for the
# GPU part of the one executable, each file under the name <prefix>.<file>.
function(rowfold_add_test_library library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "KERNELS;SOURCES;LINK;DEFINITIONS")
  if("cpu" IN_LIST ROWFOLD_TEST_BACKENDS)
    add_library(${library} STATIC ${arg_SOURCES} ${arg_KERNELS})
    target_link_libraries(${library} PUBLIC rowfold::cpu rowfold_developer rowfold_cpu_test_main ${arg_LINK})
    target_compile_definitions(${library} PRIVATE ${arg_DEFINITIONS})
  endif()
  if("gpu" IN_LIST ROWFOLD_TEST_BACKENDS)
    foreach(source IN LISTS arg_SOURCES arg_KERNELS)
      cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
      cmake_path(GET path FILENAME file)
      set(wrapper "${CMAKE_BINARY_DIR}/gpu_tests/${arg_PREFIX}.${file}.cu")
      file(CONFIGURE OUTPUT "${wrapper}" CONTENT "#include \"@path@\"\n" @ONLY)
      set_property(GLOBAL APPEND PROPERTY rowfold_gpu_sources "${wrapper}")
      if(source IN_LIST arg_KERNELS)
        set_property(GLOBAL APPEND PROPERTY rowfold_gpu_engine_sources "${wrapper}")
      endif()
    endforeach()
  endif()
endfunction()

# rowfold_add_tests(<folder> LINK <library> TESTS <name>...): the tests <folder>.<name> from <name>_test.cpp, whose
# kernels are in the library.
function(rowfold_add_tests folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LINK" "TESTS")
  foreach(name IN LISTS arg_TESTS)
    rowfold_add_test(${folder}.${name} SOURCES ${name}_test.cpp DEVICE)
    if(TARGET test_${folder}_${name})
      rowfold_use_check_header(test_${folder}_${name} O0)
      target_link_libraries(test_${folder}_${name} PRIVATE ${arg_LINK})
    endif()
  endforeach()
endfunction()

# Called once, after all tests: the executable of the GPU suite and its CTest entries. In the sources that instantiate
# the library's own kernels a spill or a local array is an error; kernels written for a test of something else may have
# arrays.
function(rowfold_finish_gpu_suite)
  get_property(sources GLOBAL PROPERTY rowfold_gpu_sources)
  get_property(engine_sources GLOBAL PROPERTY rowfold_gpu_engine_sources)
  get_property(tests GLOBAL PROPERTY rowfold_gpu_tests)
  if(NOT sources)
    return()
  endif()
  option(ROWFOLD_TEST_FAST_MATH "Also build the GPU suite with --use_fast_math" OFF)
  set(suites rowfold_gpu_tests)
  if(ROWFOLD_TEST_FAST_MATH)
    list(APPEND suites rowfold_gpu_tests_fast_math)
  endif()
  set_source_files_properties(${engine_sources} PROPERTIES COMPILE_OPTIONS
                                                           "-Xptxas=-warn-spills,-warn-lmem-usage,-Werror")
  foreach(suite IN LISTS suites)
    add_executable(${suite} ${sources})
    target_link_libraries(${suite} PRIVATE rowfold::rowfold rowfold_developer rowfold_gpu_test_main)
    set(kind gpu)
    if(suite MATCHES "fast_math")
      target_compile_options(${suite} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math>)
      # nvcc 13 defines no macro that would tell.
      target_compile_definitions(${suite} PRIVATE ROWFOLD_TEST_SUBNORMALS_ARE_ZERO)
      set(kind gpu_fast_math)
    endif()
    foreach(entry IN LISTS tests)
      string(REPLACE "|" ";" entry "${entry}")
      list(GET entry 0 name)
      list(GET entry 1 filter)
      add_test(NAME ${ROWFOLD_TEST_PREFIX}${name}.${kind} COMMAND ${suite} -\# ${filter})
      # 77: this machine has no GPU. One GPU test at a time.
      set_tests_properties(${ROWFOLD_TEST_PREFIX}${name}.${kind} PROPERTIES SKIP_RETURN_CODE 77 LABELS gpu TIMEOUT 600
                                                                            RESOURCE_LOCK gpu)
      if(kind STREQUAL "gpu")
        set_property(TEST ${ROWFOLD_TEST_PREFIX}${name}.${kind} APPEND PROPERTY
                     ENVIRONMENT "ROWFOLD_ACCURACY=${CMAKE_BINARY_DIR}/accuracy")
      endif()
    endforeach()
  endforeach()
endfunction()
