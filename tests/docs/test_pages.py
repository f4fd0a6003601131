"""Generated pages are up to date, and lists of pages and examples are complete."""

import os
import re
import subprocess
import sys

import pytest


@pytest.mark.parametrize("page, name", [("commands", "commands"), ("model", "model_reference"),
                                        ("performance", "performance")])
def test_generated_pages_are_up_to_date(root, program, tmp_path, page, name):
    command = [sys.executable, root / "tools" / "document", page, "-o", tmp_path / "page.md"]
    subprocess.run(command, check=True, env=os.environ | {"LINERAD_BIN": program})
    written, kept = (tmp_path / "page.md").read_text(), (root / "docs" / f"{name}.md").read_text()
    assert kept == written, f"docs/{name}.md is out of date: run tools/document {page}"


def test_model_reference_has_every_section(root, program):
    """tools/document fails if a mapping has no table; each section of a model also has a heading."""
    done = subprocess.run([program, "keys", "model", "--markdown"], check=True, capture_output=True, text=True)
    sections = re.findall(r"^\| `(\w+)` \|", done.stdout, re.M)
    assert len(sections) > 10
    assert set(sections) <= set(re.findall(r"^## (\w+)$", (root / "docs" / "model_reference.md").read_text(), re.M))


def test_a_mapping_without_a_table_is_found(root, program, tmp_path):
    page = (root / "docs" / "model_reference.md").read_text()
    (tmp_path / "docs").mkdir()
    (tmp_path / "tools").mkdir()
    for name in ("document", "notebooks.py"):
        (tmp_path / "tools" / name).write_text((root / "tools" / name).read_text())
    (tmp_path / "docs" / "model_reference.md").write_text(page.replace("<!-- keys: image.beam -->\n", ""))
    done = subprocess.run([sys.executable, tmp_path / "tools" / "document", "model"], capture_output=True, text=True,
                          env=os.environ | {"LINERAD_BIN": program})
    assert done.returncode != 0 and "image.beam" in done.stderr


def test_command_page_has_every_command(root):
    text = (root / "docs" / "commands.md").read_text()
    listed = re.findall(r"^ {4}linerad (\w+)", (root / "docs" / "cli.md").read_text(), re.M)
    assert len(listed) >= 7
    assert set(listed) == set(re.findall(r"^## linerad (\w+)", text, re.M))


def test_every_example_is_shown(root):
    shown = re.findall(r"literalinclude} \.\./examples/(\S+)", (root / "docs" / "examples.md").read_text())
    assert sorted(shown) == sorted(path.name for path in (root / "examples").glob("*.yaml"))


def test_c_interface_is_shown_whole(root):
    """Each part begins where the previous one ends; the last one goes to the end."""
    header = (root / "include" / "linerad.h").read_text()
    page = (root / "docs" / "c_api.md").read_text()
    begins = re.findall(r'^:start-at: "(.*)"$', page, re.M)
    ends = re.findall(r'^:end-before: "(.*)"$', page, re.M)
    assert begins[1:] == ends and header.startswith(begins[0])
    places = [header.index(begin) for begin in begins]
    assert places == sorted(places)


def test_list_of_pages_is_complete(root):
    """docs/README.md names every page except those that exist only for the site."""
    listed = set(re.findall(r"\]\((\w+\.md)\)", (root / "docs" / "README.md").read_text()))
    pages = {path.name for path in (root / "docs").glob("*.md")}
    assert pages - listed == {"README.md", "start.md", "contributing.md", "changelog.md"}


def test_performance_page_knows_every_case(root):
    cases = re.findall(r'^    "(\w+)": \("', (root / "bench" / "run").read_text(), re.M)
    assert len(cases) > 10
    known = re.findall(r'^    "(\w+)": "', (root / "tools" / "document").read_text(), re.M)
    assert set(cases) <= set(known), "tools/document has no words for some cases of bench/run"
