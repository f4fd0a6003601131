#!/bin/bash
# Run by conda-build in the source folder, with compilers, PREFIX, PYTHON and CMAKE_ARGS of conda. KissFFT is linked
# statically and Random123 has only headers, so that nothing of them needs to be installed. The CUDA backend is for a
# package of its own.
set -eux

# In PREFIX, because conda's CMake looks nowhere else.
cmake -S kissfft -B kissfft/build ${CMAKE_ARGS:-} -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DKISSFFT_DATATYPE=float -DKISSFFT_STATIC=ON -DKISSFFT_TEST=OFF -DKISSFFT_TOOLS=OFF
cmake --build kissfft/build
cmake --install kissfft/build

rm -rf build # of the checkout
export CMAKE_ARGS="${CMAKE_ARGS:-} -DLINERAD_CUDA=OFF -DRANDOM123_INCLUDE_DIR=$PWD/random123/include"
"$PYTHON" -m pip install . --no-deps --no-build-isolation -vv

xargs rm <kissfft/build/install_manifest.txt
