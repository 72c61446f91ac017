"""What a comparison says: the difference of two risks on the same splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from foldwise.stats.estimate import Estimate, plain_number


@dataclass(frozen=True, repr=False)
class Comparison(Estimate):
    """The risk of the first method minus that of the second; below 0 the first is better.

    `p` tests a difference of 0 by the statistic `t` on `df` degrees of freedom; `equivalence` is the probability
    that the difference is at most `rope` in size.

    `value`: the difference.
    `low`, `high`: the ends of its interval, or None where none is valid.
    `level`: the coverage that the interval is made for.
    `interval`: the name of the interval.
    `target`: which risk it is, in words.
    `train_rows`: how many rows the models were trained on.
    `losses`: those that it was computed from.
    `fits`: how many fits it rests on.
    `notes`: pairs of a code and a sentence.
    `details`: further results of the method.
    `p`: of the test that the difference is 0.
    `se`, `t`, `df`: standard error, statistic and degrees of freedom.
    `equivalence`: the probability that the difference is at most `rope` in size.
    `rope`: a difference that does not matter.
    `names`: of the two methods.

    >>> Comparison(-0.02, -0.05, 0.01, 0.95, "corrected t", p=0.17, names=("ridge", "k-nn"))
    ridge minus k-nn: -0.0200 (-0.0500 to 0.0100, 95% corrected t), p = 0.17
    >>> Comparison(-0.02, -0.05, 0.01, 0.95, "corrected t", p=0.17, names=("ridge", "k-nn")).to_dict()["p"]
    0.17
    """

    p: float | None = None
    se: float | None = None
    t: float | None = None
    df: float | None = None
    equivalence: float | None = None
    rope: float | None = None
    names: tuple[str, str] = ("a", "b")

    def __repr__(self) -> str:
        words = f"{self.names[0]} minus {self.names[1]}: {self._numbers()}"
        if self.p is not None:
            words += f", p = {self.p:.2g}"
        if self.equivalence is not None:
            words += f", {self.equivalence:.2g} that the difference is within {self.rope:g}"
        return words

    def to_dict(self) -> dict[str, Any]:
        """The comparison in plain values for JSON; what cannot be given is None."""
        return {
            **super().to_dict(),
            "p": plain_number(self.p),
            "se": plain_number(self.se),
            "t": plain_number(self.t),
            "df": self.df,
            "equivalence": plain_number(self.equivalence),
            "rope": self.rope,
            "names": list(self.names),
        }
