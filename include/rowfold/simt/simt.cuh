// SPDX-License-Identifier: MIT
// The whole simt/ contract: everything that a kernel may ask of the machine it runs on, the same on both back ends.
#pragma once

#include "rowfold/simt/block.cuh"
#include "rowfold/simt/cluster.cuh"
#include "rowfold/simt/grid.cuh"
#include "rowfold/simt/shared.cuh"
#include "rowfold/simt/site.hpp"
#include "rowfold/simt/thread.cuh"
#include "rowfold/simt/warp.cuh"
