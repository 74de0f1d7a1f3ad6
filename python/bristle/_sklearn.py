"""Friction models as regressors of scikit-learn."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._identify import fit as _fit


class FrictionRegressor(RegressorMixin, BaseEstimator):
    """A friction model that follows scikit-learn's rules: fit, predict, score, get_params.

    The first column of X is the velocity in m/s; every further one adds a force in proportion to it, whose factor is
    fitted too. y is the friction force in N.

    model : name of the model. dt : None: rows are independent points of steady sliding; a number: rows are samples of
    one motion in this interval in s. start : {parameter: value} to begin with. loss : "squares" or "huber".

    fit_ : the bristle.Fit. contact_ : a contact with the fitted parameters."""

    def __init__(self, model="stribeck", dt=None, start=None, loss="squares"):
        self.model = model
        self.dt = dt
        self.start = start
        self.loss = loss

    def _frame(self, X, y=None):
        frame = {"v": X[:, 0]}
        if self.dt is not None:
            frame = {"t": self.dt * np.arange(len(X)), **frame}
        # A prediction needs no force, but a recording has one.
        frame["F"] = np.zeros(len(X)) if y is None else y
        for j in range(1, X.shape[1]):
            frame[f"term{j}"] = X[:, j]
        return frame

    def _terms(self, X):
        return {f"c{j}": f"term{j}" for j in range(1, X.shape[1])}

    def fit(self, X, y):
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        if len(X) < 3:
            raise ValueError(f"n_samples={len(X)}: at least 3 are required")
        self.fit_ = _fit(self._frame(X, y), self.model, start=self.start, loss=self.loss, columns={"v": "v", "F": "F"},
                         terms=self._terms(X))
        self.contact_ = self.fit_.contact
        return self

    def predict(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        values = self.fit_.values
        linear = sum((values.get(f"c{j}", 0.0) * X[:, j] for j in range(1, X.shape[1])), np.zeros(len(X)))
        contact = self.fit_.contact
        F = contact.steady(X[:, 0]) if self.dt is None else contact.along(self.dt, v=X[:, 0])
        return F + linear
