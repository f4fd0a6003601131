"""numpy and C memory, without copies in either direction."""

import numpy as np

from ._library import ffi, lib, new_struct, text

TYPES = {
    lib.LR_FLOAT32: np.dtype(np.float32),
    lib.LR_FLOAT64: np.dtype(np.float64),
    lib.LR_INT32: np.dtype(np.int32),
    lib.LR_INT64: np.dtype(np.int64),
    lib.LR_BOOL: np.dtype(np.bool_),
}
_CODES = {dtype: code for code, dtype in TYPES.items()}


class _Borrowed:
    """Memory of `owner`, which stays alive as long as arrays refer to it."""

    def __init__(self, owner, interface):
        self.owner = owner
        self.__array_interface__ = interface


def view(owner, pointer, shape, dtype, strides=None):
    """C memory as a read-only array."""
    interface = {
        "version": 3,
        "shape": tuple(shape),
        "typestr": np.dtype(dtype).str,
        "data": (int(ffi.cast("uintptr_t", pointer)), True),
        "strides": tuple(strides) if strides is not None else None,
    }
    return np.asarray(_Borrowed(owner, interface))


def view_array(function, owner, name):
    """(numpy array, units) of the array of this name, which a function of (owner, name, struct lr_array) finds."""
    array = new_struct("lr_array")
    if not function(owner, name.encode(), array):
        raise KeyError(name)
    rank = array.rank
    shape, strides = tuple(array.shape[0:rank]), tuple(array.stride[0:rank])
    return view(owner, array.data, shape, TYPES[array.type], strides), text(array.units)


def lend(arrays):
    """An array of struct lr_array for {name: (numpy array, units)}, and the objects that must outlive it. Types that
    the library reads are passed in place, in any memory order; others become float64.
    """
    structs = ffi.new("struct lr_array[]", max(len(arrays), 1))
    keep = [structs]
    for struct, (name, (values, units)) in zip(structs, arrays.items()):
        struct.size = ffi.sizeof("struct lr_array")
        if values.dtype not in _CODES:
            values = values.astype(np.float64)
        if values.ndim > lib.LR_MAX_RANK:
            raise ValueError(f"{name}: {values.ndim} axes are too many")
        c_name, c_units = ffi.new("char[]", name.encode()), ffi.new("char[]", units.encode()) if units else ffi.NULL
        struct.name, struct.units = c_name, c_units
        struct.data = ffi.cast("void *", values.__array_interface__["data"][0])
        struct.type, struct.rank = _CODES[values.dtype], values.ndim
        for axis in range(values.ndim):
            struct.shape[axis], struct.stride[axis] = values.shape[axis], values.strides[axis]
        keep += [c_name, c_units, values]
    return structs, keep
