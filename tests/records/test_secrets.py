"""Secrets in the words of learners: masked in records, stores and pages, whatever stands around them."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

import foldwise as fw
from foldwise.errors import FitsFailed
from foldwise.records.record import Record
from foldwise.records.secrets import MOST, masked

# Letters, digits and marks that a password may have where it is written without quotes.
SECRETS = st.text("abcXYZ0189!$%^*+/=~_.-", min_size=6, max_size=30).filter(lambda text: text[0].isalnum())
PLACES = [
    "https://user:{}@host/db",
    "https://{}@host/repository.git",
    "postgresql+psycopg2://u:{}@h:5432/d?sslmode=off",
    "redis://:{}@cache:6379/0",
    "mongodb+srv://u:{}@a.b.net/?w=1",
    "https://host/x?token={}&page=2",
    "https://host/x?X-Amz-Signature={}",
    "https://acc.blob.core.net/c?sv=1&sig={}&se=9",
    "password={}",
    "PGPASSWORD={} psql",
    "'password': '{}'",
    '{{"api_key": "{}", "n": 3}}',
    "host=h user=u password='{}' port=5",
    "Server=s;Uid=u;Pwd={};Database=d",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=x",
    "aws_secret_access_key = {}",
    "SecretAccessKey={}",
    "client_secret: {}",
    "refresh_token={}",
    "Authorization: Bearer {}",
    "Proxy-Authorization: Basic {}",
    "{{'Authorization': 'Digest user=a, response={}'}}",
    "Cookie: session={}; path=/",
    "x-api-key: {}",
    "curl --password {}",
    "CREATE USER a IDENTIFIED BY '{}'",
    "jdbc:oracle:thin:scott/{}@host:1521:x",
    "credentials=('u', '{}')",
]


@given(secret=SECRETS, place=st.sampled_from(PLACES), before=st.text(max_size=20), after=st.text(max_size=20))
def test_a_secret_is_masked_wherever_it_stands(secret, place, before, after):
    assume(secret not in place)
    text = f"{before} {place.format(secret)} {after}"
    assume(secret not in f"{before} {after}")
    assert secret not in masked(text)
    assert "***" in masked(text)


@given(secret=SECRETS, place=st.sampled_from(PLACES), keep=st.integers(0, 40))
def test_a_text_that_ends_in_the_middle_of_a_quoted_secret_keeps_nothing_of_it(secret, place, keep):
    text = place.format(secret)
    start = text.index(secret)
    assume("@" not in place and secret not in place)  # an address that is cut before its @ may be any other
    assert secret[: max(6, keep)] not in masked(text[: start + max(6, keep)])


@given(text=st.text(max_size=300))
def test_masking_twice_changes_no_more(text):
    once = masked(text)
    assert masked(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: could not convert string to float: 'abc'",
        "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required (in fit)",
        "n_neighbors <= n_samples_fit, but n_neighbors = 5, n_samples_fit = 3",
        "KeyError: 'token'",
        "could not read http://host:80/path?b=1#c, mail ann@host.org",
        "compass=3 at author: Bob, authority=9",
        "the worker process was killed by SIGSEGV",
        "LinAlgError: singular matrix (key is 'a')",
    ],
)
def test_other_words_stay(text):
    assert masked(text) == text


@pytest.mark.parametrize(
    "key",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_0123456789abcdefghij",
        "glpat-0123456789abcdef",
        "hf_0123456789abcdefgh",
        "sk-proj-0123456789abcd",
        "xoxb-0123456789-abcdef",
        "AIzaSyA0123456789abcdefg",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w",
    ],
)
def test_keys_are_known_by_their_form(key):
    assert masked(f"cannot use {key} here") == "cannot use *** here"


def test_a_private_key_is_masked_as_a_whole():
    block = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
    assert masked(f"bad key {block} in file") == "bad key *** in file"
    assert "MIIE" not in masked(f"bad key {block[:50]}")


@pytest.mark.parametrize(
    "part", ["a", "a://", "jdbc:", "password", "pass='", "key=(", "token ", "a.b-", "x-key", "\\", "cookie'"]
)
def test_no_text_takes_long(part):
    started = time.perf_counter()
    masked(part * (MOST // len(part)))
    assert time.perf_counter() - started < 2


def test_a_record_never_holds_a_secret():
    record = Record("k", "error", np.arange(2), error="at https://u:hunter2@h", warnings=("password=hunter2",))
    assert "hunter2" not in record.error + record.warnings[0]


class Telling(LinearRegression):
    """Fails with an address that has a password, far enough into its text to be cut in two."""

    def fit(self, X, y):
        raise ConnectionError(
            "x" * 260 + " cannot reach https://user:Hunter2AndMuchLongerThanThat@host/db?token=Tea4Two"
        )


def test_no_store_and_no_page_gets_a_secret(tmp_path):
    X = np.arange(20.0)[:, None]
    with pytest.raises(FitsFailed) as failed:
        fw.compare({"telling": Telling()}, X, 2 * X[:, 0], outer=3, jobs=1, store=tmp_path / "run")
    result = failed.value.result
    texts = [str(failed.value), repr(result), result.explain(), result.report(), str(result.to_dict())]
    texts += [file.read_bytes().decode("latin-1") for file in (tmp_path / "run").iterdir()]
    for text in texts:
        assert "Hunter2" not in text
        assert "Tea4Two" not in text
