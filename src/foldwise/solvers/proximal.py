"""Newton's rule for logistic losses with absolute penalties: each step solves a small lasso exactly."""

from __future__ import annotations

import warnings

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.solvers.active_set import ActiveSet, Gram, lasso_path, settle

SWEEPS = 5000  # of coordinate descent: enough to find most of the active columns


class Sparse:
    """The step of a loss with an absolute penalty on all coefficients but the free ones."""

    def __init__(self, penalty: float, is_free: AnyArray) -> None:
        self.penalty, self.is_free = penalty, is_free  # per column

    def extra(self, coefficients: FloatArray) -> float:
        return self.penalty * float(np.abs(coefficients[~self.is_free]).sum())

    def allowed(self, start: FloatArray, last: FloatArray) -> FloatArray:
        """No coefficient may pass zero on the way: there the model would change."""
        return np.where(self.is_free[:, None] | (start * last > 0), start, 0.0)

    def step(self, coefficients: FloatArray, gradient: FloatArray, hessian: FloatArray) -> FloatArray:
        """From here to the minimum of the quadratic model; NaN where it was not found."""
        here = coefficients.T.ravel()
        linear = hessian @ here - gradient
        free = np.flatnonzero(np.tile(self.is_free, coefficients.shape[1]))
        bound = np.flatnonzero(np.tile(~self.is_free, coefficients.shape[1]))
        if not free.size:
            return self._lasso(hessian, linear, here) - here
        beside = hessian[bound[:, None], free]
        through = np.linalg.solve(hessian[free[:, None], free], np.column_stack([beside.T, linear[free]]))
        gram = hessian[bound[:, None], bound] - beside @ through[:, :-1]
        goal = np.empty(here.size)
        goal[bound] = self._lasso(gram, linear[bound] - beside @ through[:, -1], here[bound])
        goal[free] = through[:, -1] - through[:, :-1] @ goal[bound]
        return goal - here

    def _lasso(self, gram: FloatArray, linear: FloatArray, here: FloatArray) -> FloatArray:
        """The lasso whose active columns are most likely those in use now."""
        model = Gram(gram, linear)
        found = self._settle(model, here)
        if found is None:
            found = self._settle(model, self._descend(model, here))
        if found is None:
            found = lasso_path(model, [self.penalty])[0]
        return np.full(here.size, np.nan) if found is None else found

    def _settle(self, model: Gram, guess: FloatArray) -> FloatArray | None:
        active = ActiveSet(model)
        used = np.flatnonzero(guess)
        active.restart(used, np.sign(guess[used]))
        return settle(model, active, self.penalty, positive=False)

    def _descend(self, model: Gram, start: FloatArray) -> FloatArray:
        """A better guess of the active columns by coordinate descent."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import lasso_path as descend

        # with sums of products given, of the table only the number of rows is read, and of the target its square
        table, target = np.zeros((1, start.size), order="F"), np.ones(1)
        given = {"precompute": model.gram, "Xy": model.linear, "coef_init": start.copy(), "check_input": False}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            path: FloatArray = descend(table, target, alphas=[self.penalty], tol=1e-12, max_iter=SWEEPS, **given)[1]
        return path[:, 0]
