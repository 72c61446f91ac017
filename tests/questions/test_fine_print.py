"""questions/fine_print.py: every number and note that the first screen folds away."""

from __future__ import annotations

import foldwise as fw
from foldwise.blocks.block import Finding, Sentence, Table
from foldwise.questions.fine_print import details
from foldwise.questions.overview import WARNINGS


def test_the_details_have_all_numbers_choices_and_notes():
    result = fw.compare(["ridge:small", "k-nn:small"], "diabetes", outer=3, inner=2, jobs=1)
    chapters = {chapter.title: chapter.blocks for chapter in details(result.answer)}

    table = chapters["All numbers"][0]
    assert isinstance(table, Table)
    heads = [column.head for column in table.columns]
    for method in result.to_dict()["methods"]:
        row = next(row for row in table.rows if row.method == method["name"])
        assert row.cells[heads.index("risk")].sort == method["risk"]
        assert row.cells[heads.index("inner CV error")].sort == method["selection_score"]
    notes = {block.text for block in chapters["Notes"] if isinstance(block, Sentence)}
    wanted = {
        f"{note['text']}." for note in result.to_dict()["notes"] if note["code"] not in (*WARNINGS, "task", "scheme")
    }
    assert wanted <= notes
    codes = {block.code for block in chapters["Notes"] if isinstance(block, Finding)}
    assert codes == {finding.code for finding in result.findings if finding.severity == "note"}


def test_every_fold_of_every_tuned_method_has_its_setting():
    result = fw.compare(["ridge:small"], "diabetes", outer=4, inner=2, jobs=1)
    chapter = next(chapter for chapter in details(result.answer) if chapter.title.startswith("Settings"))
    words = dict(chapter.blocks[0].items)["ridge:small"]

    assert all(str(fold) in words for fold in range(4))
    assert all(f"{fold['candidate']['alpha']:.4g}" in words for fold in result.to_dict()["methods"][0]["folds"])
