"""A figure is its own picture, and no window or backend holds it."""

from __future__ import annotations

import io
import pickle
import struct

import pytest

pytest.importorskip("matplotlib")

from matplotlib import pyplot

from foldwise.show.picture import SHARP, Picture


def size(png: bytes) -> tuple[int, int]:
    """Width and height as the header of a PNG file says them."""
    return struct.unpack(">II", png[16:24])


def test_the_picture_is_sharper_than_the_place_it_is_shown_in():
    data, place = Picture(figsize=(5, 2), dpi=100)._repr_png_()

    assert place == {"width": 500, "height": 200}
    assert size(data) == (500 * SHARP, 200 * SHARP)


def test_the_backend_of_a_notebook_does_not_draw_it_again():
    before = pyplot.get_fignums()
    Picture()
    assert pyplot.get_fignums() == before


def test_a_copy_that_was_pickled_is_a_picture_too():
    copy = pickle.loads(pickle.dumps(Picture(figsize=(2, 2))))
    out = io.BytesIO()
    copy.savefig(out, format="png", dpi=100)
    assert size(out.getvalue()) == (200, 200)
    assert copy._repr_png_()[0][:4] == b"\x89PNG"
