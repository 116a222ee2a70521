// SPDX-License-Identifier: MIT
// The version of rowfold: the one place where it is written (CMake reads it from here).
#pragma once

#define ROWFOLD_VERSION_MAJOR 0
#define ROWFOLD_VERSION_MINOR 1
#define ROWFOLD_VERSION_PATCH 0
