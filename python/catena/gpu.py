"""Jobs on graphics processors, on arrays that are already on the device: from PyTorch, CuPy, JAX, Numba, or any library
that supports __cuda_array_interface__ or DLPack. Nothing is copied; work goes to the current stream.

    import catena.gpu, torch
    inverse = catena.gpu.function(catena.load("panda"), "inverse_dynamics")
    tau = inverse(q, qd, qdd)                                    # tensors (..., 7), float32 on the device

With a gradient, for PyTorch and JAX: catena.adapters.torch, catena.adapters.jax.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple

from . import _catena
from ._catena import GpuError
from ._rollout import Rollout, rollout


def gpus() -> dict[str, Any]:
    """The available hardware and software: usable, driver and nvrtc (a version, or why there is none), devices."""
    return _catena.gpus()


class _Array(NamedTuple):
    """The location and layout of an array on a device."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in numbers
    kind: str  # "<f4", "<f8", …
    device: int | None
    stream: int | None
    keeper: Any  # keeps the memory alive


class _DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DLType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _DLDevice), ("ndim", ctypes.c_int32), ("dtype", _DLType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_CUDA, _FLOAT = 2, 2  # DLPack's numbers


def _dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for side in reversed(shape):
        strides.append(step)
        step *= side
    return tuple(reversed(strides))


_KINDS_OF_TORCH = {"torch.float32": "<f4", "torch.float64": "<f8"}


def _by_torch(name: str, array: Any) -> _Array:
    """The same as _by_interface, in a tenth of the time."""
    if not array.is_cuda:
        raise ValueError(f"{name}: the array is not on a CUDA device")
    if array.requires_grad:
        raise ValueError(f"{name}: the tensor has a gradient, which would be lost here; detach() it, or take catena.adapters.torch")
    kind = _KINDS_OF_TORCH.get(str(array.dtype), str(array.dtype))
    return _Array(array.data_ptr(), tuple(array.shape), array.stride(), kind, array.device.index, None, array)


def _by_interface(name: str, array: Any, about: dict[str, Any]) -> _Array:
    kind, shape = about["typestr"], tuple(about["shape"])
    size = int(kind[2:])
    if about.get("strides") is None:
        strides = _dense(shape)
    elif any(step % size for step in about["strides"]):
        raise ValueError(f"{name}: the numbers do not lie on whole numbers of {size} bytes")
    else:
        strides = tuple(step // size for step in about["strides"])
    return _Array(about["data"][0] or 0, shape, strides, kind, None, about.get("stream"), array)


def _by_dlpack(name: str, array: Any) -> _Array:
    kind_of_device, index = array.__dlpack_device__()
    if kind_of_device != _CUDA:
        raise ValueError(f"{name}: the array is not on a CUDA device")
    capsule = array.__dlpack__(stream=1)
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = ctypes.cast(read(capsule, b"dltensor"), ctypes.POINTER(_DLTensor)).contents
    shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
    strides = tuple(tensor.strides[k] for k in range(tensor.ndim)) if tensor.strides else _dense(shape)
    kind = f"<f{tensor.dtype.bits // 8}" if tensor.dtype.code == _FLOAT and tensor.dtype.lanes == 1 else "another type"
    return _Array((tensor.data or 0) + tensor.byte_offset, shape, strides, kind, index, None, (array, capsule))


def _described(name: str, array: Any) -> _Array:
    if _library(array) == "torch":
        return _by_torch(name, array)
    if (about := getattr(array, "__cuda_array_interface__", None)) is not None:
        found = _by_interface(name, array, about)
    elif hasattr(array, "__dlpack__"):
        found = _by_dlpack(name, array)
    else:
        raise TypeError(f"{name}: an array on a CUDA device is needed, with __cuda_array_interface__ or __dlpack__, "
                        f"not {type(array).__name__}")
    device = getattr(array, "device", None)  # has an index in PyTorch, an id in CuPy
    index = getattr(device, "index", getattr(device, "id", None))
    return found._replace(device=index) if isinstance(index, int) else found


def _library(array: Any) -> str:
    return type(array).__module__.partition(".")[0]


def _current_stream(array: Any, found: _Array) -> int:
    module: Any = sys.modules.get(_library(array))
    if _library(array) == "torch":
        return module.cuda.current_stream(array.device).cuda_stream
    if _library(array) == "cupy":
        return module.cuda.get_current_stream().ptr
    return found.stream or 0


def _empty_like(array: Any, shape: tuple[int, ...], columns: bool) -> Any:
    """An array for results, allocated by the library of the inputs; with columns, a view of a transposed one."""
    module: Any = sys.modules.get(_library(array))
    if _library(array) not in ("torch", "cupy"):
        raise TypeError(f"room for the results must be given, out=…: arrays of {_library(array)} cannot be made here")
    lying = shape[1:] + shape[:1] if columns else shape
    if _library(array) == "torch":
        room = module.empty(lying, dtype=array.dtype, device=array.device)
        return room.movedim(-1, 0) if columns else room
    room = module.empty(lying, dtype=array.dtype)
    return module.moveaxis(room, -1, 0) if columns else room


class Function:
    """A job of one robot on a device, from function() or gradient(). Called with its inputs, arrays (..., entries)."""

    def __init__(self, robot: Any, job: str, device: int, method: str, frame: str, search: bool, gradient: bool = False):
        self._make = lambda single: _catena.GpuJob(robot, job, single, device, method, frame, search, gradient)
        self._jobs: dict[bool, _catena.GpuJob] = {}
        self._device, self._job = device, job
        self._constants = getattr(robot, "constants", None)  # of Robots
        self._sent: dict[tuple[str, str, bool], Any] = {}

    def _with_constants(self, arrays: tuple[Any, ...], first: _Array, wanted: int) -> tuple[Any, ...]:
        """Also the constants of Robots, sent to the device once; another library's arrays bring their own."""
        if self._constants is None or len(arrays) != wanted - 1 or _library(arrays[0]) not in ("torch", "cupy"):
            return arrays
        columns = self._in_columns([first], [first.shape[-1]])
        library = _library(arrays[0])
        module: Any = sys.modules[library]
        key = (library, first.kind, columns)
        if key not in self._sent:
            rows = self._constants.astype(first.kind)
            lying = rows.T.copy() if columns else rows.copy(order="C")
            sent = module.as_tensor(lying, device=arrays[0].device) if library == "torch" else module.asarray(lying)
            self._sent[key] = sent.T if columns else sent
        return (*arrays, self._sent[key])

    def _made(self, kind: str) -> _catena.GpuJob:
        if kind not in ("<f4", "<f8"):
            raise TypeError(f"{self._job}: numbers are float32 or float64, not {kind}")
        single = kind == "<f4"
        if single not in self._jobs:
            self._jobs[single] = self._make(single)
        return self._jobs[single]

    def kernel(self, kind: str = "float32", rows: bool = True) -> dict[str, Any]:
        """The kernel's method, registers, block, occupancy; compiles it if necessary."""
        return self._made({"float32": "<f4", "float64": "<f8"}.get(kind, kind)).kernel(rows)

    def __call__(self, *arrays: Any, out: Any = None, stream: int | None = None) -> Any:
        """The results, one array or a tuple, in `out` where given. stream: the address of a CUstream, instead of the
        current stream of the arrays' library."""
        if not arrays:
            raise TypeError(f"{self._job}: no array is given")
        first = _described("the first array", arrays[0])
        kind = first.kind
        job = self._made(kind)
        inputs, outputs = job.inputs, job.outputs
        arrays = self._with_constants(arrays, first, len(inputs))
        if len(arrays) != len(inputs):
            wanted = ", ".join(name for name, _ in inputs)
            raise TypeError(f"{self._job} takes {len(inputs)} arrays ({wanted}), not {len(arrays)}")
        found = [first] + [_described(name, array) for (name, _), array in zip(inputs[1:], arrays[1:])]
        leading = found[0].shape[:-1]
        sizes = [size for _, size in inputs]
        shapes = [leading + self._shape(*output[1:]) for output in outputs]
        columns = self._in_columns(found, sizes)
        rooms = [_empty_like(arrays[0], shape, columns) for shape in shapes] if out is None else \
            list(out) if isinstance(out, (tuple, list)) else [out]
        if len(rooms) != len(shapes):
            raise TypeError(f"{self._job} has {len(shapes)} results, room is given for {len(rooms)}")
        filled = [_described(f"out, {output[0]}", room) for output, room in zip(outputs, rooms)]
        names = [name for name, _ in inputs] + [f"out, {output[0]}" for output in outputs]
        entries = sizes + [rows * columns_of for _, rows, columns_of, *_ in outputs]
        for name, array, shape in zip(names, found + filled, [leading + (size,) for size in sizes] + shapes):
            self._require(name, array, shape, kind)
        lie_in_columns = self._in_columns(found + filled, entries)
        if not lie_in_columns and not all(array.strides == _dense(array.shape) for array in found + filled):
            raise ValueError(f"{self._job}: arrays must all be contiguous, or all be views (states, entries) of arrays "
                             "(entries, states); make them so first")
        states = 1
        for side in leading:
            states *= side
        if states > 0:
            job.launch(states, states, not lie_in_columns, [array.address for array in found],
                       [array.address for array in filled],
                       _current_stream(arrays[0], first) if stream is None else stream)
        return rooms[0] if len(rooms) == 1 else tuple(rooms)

    @staticmethod
    def _shape(rows: int, columns: int, is_matrix: bool, is_number: bool) -> tuple[int, ...]:
        return (rows, columns) if is_matrix else () if is_number else (rows,)

    @staticmethod
    def _in_columns(arrays: list[_Array], entries: list[int]) -> bool:
        """Whether entry j of state k lies at [j * states + k] in all of them, and this differs from rows."""
        for array, size in zip(arrays, entries):
            states = array.shape[0] if array.shape else 1
            inner = _dense(array.shape[1:])
            if array.strides[:1] != (1,) or array.strides[1:] != tuple(step * states for step in inner):
                return False
        return bool(arrays) and any(array.strides != _dense(array.shape) for array in arrays)

    def _require(self, name: str, array: _Array, shape: tuple[int, ...], kind: str) -> None:
        if array.shape != shape:
            raise ValueError(f"{name}: the shape is {array.shape}, it must be {shape}")
        if array.kind != kind:
            raise TypeError(f"{name}: numbers are {array.kind}, those of the first array {kind}")
        if array.device is not None and array.device != self._device:
            raise ValueError(f"{name}: the array is on device {array.device}, the function on device {self._device}")


def function(robot: Any, job: str = "inverse_dynamics", *, device: int = 0, method: str = "", frame: str = "",
             search: bool = True) -> Function:
    """A job of a robot, or of Robots, on a device, compiled at the first call. Raises GpuError if there is no device or
    compiler. Robots: a state each, the arrays' leading dimensions are theirs."""
    return Function(robot, job, device, method, frame, search)


def gradient(robot: Any, job: str = "inverse_dynamics", *, device: int = 0, search: bool = True) -> Function:
    """The gradient of inverse or forward dynamics for a backward pass, as a function of the job's arrays and the weights
    w of its results: w times the derivatives by each input, arrays (..., n). One kernel, which writes no matrix."""
    return Function(robot, job, device, "", "", search, gradient=True)


__all__ = ["Function", "GpuError", "Rollout", "function", "gpus", "gradient", "rollout"]
