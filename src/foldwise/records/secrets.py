"""Secrets in texts that learners bring: masked before anything is stored or shown.

An error of a database, a download or a cloud quotes what it was asked for, password included. Better one word too many
masked than one secret kept.
"""

from __future__ import annotations

import re

MASK = "***"
MOST = 20_000  # characters that are looked at; the rest is dropped, as a record keeps no more
_NAMES = (
    r"(?<![a-z])pass|pass(?:word|wd|phrase|code)|pwd|secret|token|credential|signature|sig|bearer|jwt|auth|session[-_]?id"
    r"|(?:api|access|secret|private|account|encryption|signing)[-_ ]?key(?:[-_]?id)?"
)
_HEADERS = r"(?:authorization|cookie|(?<![\w-])x-[\w-]{0,60}(?:key|token))"
# A quoted text, something in brackets, or all up to a space, a quote, or the next name with a value.
_VALUE = (
    r""""(?:\\.|[^"\\])*(?:"|\Z)|'(?:\\.|[^'\\])*(?:'|\Z)|\([^)]*\)?|\[[^\]]*\]?|\{[^}]*\}?"""
    r"""|(?:[^\s"'&;,]|[&;,](?![\w.-]*\s*[=:]|\s|$))+"""
)
# In this order: a block of a key may hold anything, and an address may hold names with values.
_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), words)
    for pattern, words in (
        (r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", MASK),
        # scheme://user:password@host, also a password with @ or / in it, and a token in the place of the user
        (r"(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*://)[^\s\"'<>]{0,2000}@", rf"\1{MASK}@"),
        (r"\b(jdbc:[^\s@]{0,200}:)[^\s@:]{1,200}/[^\s@]{1,200}@", rf"\1{MASK}@"),
        # headers, whose values go to the end of the line or of the quote they are in
        (
            r"((?:authorization|cookie|(?<![\w-])x-[\w-]{0,60}(?:key|token))[\"']\s*[:=]\s*([\"'])).*?(?:\2|\Z)",
            rf"\1{MASK}\2",
        ),
        (r"((?:authorization|cookie)\s*[:=]\s*)[^\r\n]+", rf"\1{MASK}"),
        (r"\b(bearer|basic|token|password|secret|key)(\s+(?:is\s+|was\s+)?)(?=\S*\d)[\w+/=.~-]{6,}", rf"\1\2{MASK}"),
        # password=..., "api_key": "...", ?token=..., AccountKey=..., MY_DB_PASSWORD=..., --password ...
        (rf"(?<![\w.-])([\w.-]*(?:{_NAMES})s?[\"']?\s*(?:=>|:=|=|:(?!//))\s*)(?:{_VALUE})", rf"\1{MASK}"),
        (rf"(?<![\w-])(--?(?:[a-z0-9]+-){{0,4}}(?:{_NAMES})\s+)(?:{_VALUE})", rf"\1{MASK}"),
        (rf"\b(identified by\s+)(?:{_VALUE})", rf"\1{MASK}"),
        # keys that are known by their form
        (r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{12,}", MASK),
        (r"\b(?:gh[pousr]_|github_pat_|glpat-|hf_|sk-|[spr]k_live_|xox[abeoprs]-|npm_|pypi-)[\w.-]{10,}", MASK),
        (r"\b(?:AIza|ya29\.|SG\.|dop_v1_)[\w.-]{10,}", MASK),
        (r"\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?", MASK),
    )
)


def masked(text: str) -> str:
    """The text without the secrets in it that can be known by their place or their form.

    >>> masked("cannot reach https://ann:hunter2@host/db?token=T1&rows=9")
    'cannot reach https://***@host/db?token=***&rows=9'
    >>> masked("n_neighbors=5 is more than 4 rows")
    'n_neighbors=5 is more than 4 rows'
    """
    text = text[:MOST]
    for pattern, words in _PATTERNS:
        text = pattern.sub(words, text)
    return text
