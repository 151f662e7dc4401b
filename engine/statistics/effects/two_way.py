"""Logistic regression with an effect of its own for every submission and every sample.

    logit P(submission i resolves sample j) = a_i + b_j + x_ij' t

What a sample's difficulty and a submission's strength explain is taken out, so that t rests on samples whose
x differs between submissions, against what other samples did over the same submissions.

Maximum likelihood by Newton's method. The many effects are eliminated from each step (a Schur complement the
size of the submissions), so a fit of 182 x 500 takes a fraction of a second. Submissions and samples with
one outcome only have infinite effects and say nothing about t: they are left out and counted. Estimating many
effects biases t away from zero by about one part in the number of submissions and of samples; the first-order
bias is subtracted (Fernandez-Val and Weidner 2016, Section 4). Standard errors are clustered by sample and by
submission, or by coarser clusters of either (`clustering`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lstsq, qr
from scipy.special import expit, log1p

from engine.statistics.arrays import Bools, Floats, Ints
from engine.statistics.effects.clustering import Uncertainty, two_way_uncertainty

_STEPS = 50
_TOLERANCE = 1e-9
_IDENTIFIED = 1e-8


@dataclass(frozen=True, slots=True)
class TwoWayFit:
    """A fit.

    Attributes:
        coefficients: Estimates of t on the logit scale, shape (terms,); NaN where a term cannot be told from
            the effects or from other terms.
        uncertainty: Their errors and what these rest on; NaN and 0 likewise.
        linear: Fitted logits, shape (submissions, samples); only meaningful where `used`.
        used: Cells in the fit, shape (submissions, samples).
        converged: Whether Newton's method came to rest.
    """

    coefficients: Floats
    uncertainty: Uncertainty
    linear: Floats
    used: Bools
    converged: bool


def fit_two_way(
    resolved: Bools,
    terms: Floats,
    observed: Bools,
    clusters: ArrayLike | None = None,
    submission_clusters: ArrayLike | None = None,
) -> TwoWayFit:
    """Fit the model.

    Args:
        resolved: Outcomes, shape (submissions, samples).
        terms: Values of x, shape (submissions, samples, terms).
        observed: Cells that take part, shape (submissions, samples).
        clusters: Cluster of each sample, shape (samples,); by default each sample is its own.
        submission_clusters: Cluster of each submission, shape (submissions,), likewise.

    Raises:
        ValueError: If shapes do not fit.
    """
    if terms.shape[:2] != resolved.shape or observed.shape != resolved.shape:
        raise ValueError(f"outcomes {resolved.shape}, terms {terms.shape} and cells {observed.shape} differ")
    count = terms.shape[2]
    used = informative_cells(resolved, observed)
    rows, columns = used.any(axis=1), used.any(axis=0)
    cells = used[np.ix_(rows, columns)]
    y = resolved[np.ix_(rows, columns)].astype(np.float64)
    x = np.where(cells[..., None], terms[np.ix_(rows, columns)], 0.0)
    kept = _identified(x, cells)
    coefficients, converged = np.full(count, np.nan), True
    error, of_samples, of_submissions = np.full(count, np.nan), np.zeros(count), np.zeros(count)
    linear = np.zeros(resolved.shape)
    if cells.any():
        estimate, fitted, converged = _newton(y, x[..., kept], cells)
        weight = np.where(cells, expit(fitted) * expit(-fitted), 0.0)
        residual = x[..., kept] - _project(weight, x[..., kept])
        information = np.einsum("ijk,ij,ijl->kl", residual, weight, residual)
        inverse = np.linalg.inv(information) if kept.size else information
        coefficients[kept] = estimate - _bias(weight, fitted, residual, inverse)
        found = two_way_uncertainty(
            residual @ (inverse / np.diag(inverse)),
            weight,
            np.where(cells, y - expit(fitted), 0.0),
            (_numbered(submission_clusters, rows), _numbered(clusters, columns)),
        )
        error[kept], of_samples[kept], of_submissions[kept] = found.error, found.samples, found.submissions
        linear[np.ix_(rows, columns)] = fitted
    return TwoWayFit(coefficients, Uncertainty(error, of_samples, of_submissions), linear, used, converged)


def _numbered(clusters: ArrayLike | None, kept: Bools | np.bool_) -> Ints:
    names = np.arange(np.size(kept)) if clusters is None else np.asarray(clusters)
    return np.asarray(np.unique(names[kept], return_inverse=True)[1], dtype=np.int64)


def informative_cells(resolved: Bools, observed: Bools) -> Bools:
    """Return the cells left once rows and columns with a single outcome are gone, until none is left."""
    used = observed.copy()
    while True:
        before = int(used.sum())
        for axis in (0, 1):
            both = (used & resolved).any(axis=axis, keepdims=True) & (used & ~resolved).any(
                axis=axis, keepdims=True
            )
            used &= both
        if int(used.sum()) == before:
            return used


def _newton(y: Floats, x: Floats, cells: Bools) -> tuple[Floats, Floats, bool]:
    """Coefficients, fitted logits and whether the steps came to rest."""
    linear = np.zeros(y.shape)
    coefficients = np.zeros(x.shape[2])
    likelihood = _likelihood(y, linear, cells)
    for _ in range(_STEPS):
        weight = np.where(cells, np.maximum(expit(linear) * expit(-linear), 1e-12), 0.0)
        working = np.where(cells, (y - expit(linear)) / np.where(cells, weight, 1.0), 0.0)
        both = np.concatenate([x, working[..., None]], axis=2)
        effects = _project(weight, both)
        residual = both - effects
        gram = np.einsum("ijk,ij,ijl->kl", residual[..., :-1], weight, residual)
        step = np.linalg.solve(gram[:, :-1], gram[:, -1]) if x.shape[2] else np.zeros(0)
        direction = x @ step + effects[..., -1] - effects[..., :-1] @ step
        length = 1.0
        while length > 1e-4:
            moved = _likelihood(y, linear + length * direction, cells)
            if moved >= likelihood - 1e-12 * abs(likelihood):
                break
            length /= 2
        linear = linear + length * direction
        coefficients = coefficients + length * step
        rest, likelihood = moved - likelihood, moved
        if abs(rest) <= _TOLERANCE * (1 + abs(likelihood)) and np.all(np.abs(step) < 1e-7):
            return coefficients, linear, True
    return coefficients, linear, False


def _likelihood(y: Floats, linear: Floats, cells: Bools) -> float:
    signed = np.where(y > 0, linear, -linear)
    logs = np.where(signed > 0, -log1p(np.exp(-np.abs(signed))), signed - log1p(np.exp(-np.abs(signed))))
    return float(logs[cells].sum())


def _project(weight: Floats, values: Floats) -> Floats:
    """Fit of `values` (submissions, samples, k) by a submission and a sample effect, weighted."""
    of_row, of_column = weight.sum(axis=1), weight.sum(axis=0)
    right_row = np.einsum("ij,ijk->ik", weight, values)
    right_column = np.einsum("ij,ijk->jk", weight, values)
    share = weight / of_column
    reduced = np.diag(of_row) - share @ weight.T
    # A constant may move from rows to columns; the added block fixes that to a row sum of zero.
    reduced += of_row.mean() / len(of_row)
    right = right_row - share @ right_column
    try:
        row = np.linalg.solve(reduced, right)
    except np.linalg.LinAlgError:  # a panel that falls apart into several has one free constant for each
        row = lstsq(reduced, right)[0]
    column = (right_column - weight.T @ row) / of_column[:, None]
    return np.asarray(row[:, None, :] + column[None, :, :])


def _identified(x: Floats, cells: Bools) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Indices of terms that vary beyond the effects and beyond the terms before them."""
    if not cells.any() or not x.shape[2]:
        return np.zeros(0, dtype=np.intp)
    weight = cells.astype(np.float64)
    size = np.sqrt(np.einsum("ijk,ij->k", x**2, weight))
    scaled = np.divide(x, size, out=np.zeros_like(x), where=size > 0)
    residual = (scaled - _project(weight, scaled))[cells]
    kept: list[int] = []
    for term in range(x.shape[2]):
        basis = qr(residual[:, kept], mode="economic")[0] if kept else np.zeros((len(residual), 0))
        rest = residual[:, term] - basis @ (basis.T @ residual[:, term])
        if np.linalg.norm(rest) > _IDENTIFIED:
            kept.append(term)
    return np.array(kept, dtype=np.intp)


def _bias(weight: Floats, linear: Floats, residual: Floats, inverse: Floats) -> Floats:
    """First-order bias of the coefficients from estimating an effect per row and per column."""
    third = (weight * (1 - 2 * expit(linear)))[..., None] * residual
    by_column = (third.sum(axis=0) / weight.sum(axis=0)[:, None]).sum(axis=0)
    by_row = (third.sum(axis=1) / weight.sum(axis=1)[:, None]).sum(axis=0)
    return np.asarray(-0.5 * inverse @ (by_column + by_row))
