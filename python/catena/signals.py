"""Sampled signals: a low-pass filter without phase shift, derivatives, spectra. Time runs along the first axis.

    from catena import signals
    smooth = signals.low_pass(q, rate=1000, cutoff=signals.choose_cutoff(q, rate=1000))
    qd = signals.derivative(smooth, rate=1000)
"""

from __future__ import annotations

import numpy as np

from . import _catena
from ._types import Array, ArrayLike


def _columns(x: ArrayLike) -> Array:
    table = np.asarray(x, float)
    if table.ndim == 0:
        raise ValueError("a signal is an array with time along its first axis")
    if not np.isfinite(table).all():
        raise ValueError("a signal has finite numbers only; Robot.prepare_log takes logs with holes")
    return table.reshape(len(table), -1)


def low_pass(x: ArrayLike, rate: float, cutoff: float, order: int = 4) -> Array:
    """Butterworth, forward and backward: the gain is 1/(1 + (f/cutoff)^(2 order)), one half at the cutoff (Hz).

    Each edge is continued by its point reflection: constants and straight lines pass unchanged.
    """
    table = _columns(x)
    return _catena.low_pass(np.ascontiguousarray(table).ravel(), table.shape[1], rate, cutoff, order).reshape(np.shape(x))


def derivative(x: ArrayLike, rate: float, order: int = 1, window: int = 7, degree: int = 6) -> Array:
    """Savitzky-Golay: the derivative of the polynomial of this degree that fits the window of samples best.

    The default is differences of sixth order, for signals that are smooth; order 0 smooths.
    """
    table = _columns(x)
    columns = [_catena.derivative(np.ascontiguousarray(column), rate, order, window, degree) for column in table.T]
    return np.stack(columns, axis=1).reshape(np.shape(x))


def spectrum(x: ArrayLike, rate: float) -> tuple[Array, Array]:
    """Frequencies (Hz) and the one-sided power spectral density of one column (unit²/Hz), by Welch's method."""
    return _catena.spectrum(np.ascontiguousarray(np.asarray(x, float)), rate)


def choose_cutoff(q: ArrayLike, rate: float) -> float:
    """The frequency (Hz) up to which positions, (rows,) or (rows, joints), are motion; 0 where nothing moves."""
    return _catena.choose_cutoff([np.ascontiguousarray(column) for column in _columns(q).T], rate)
