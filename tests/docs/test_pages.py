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
    shown = re.findall(r"literalinclude} \.\./examples/(\S+\.yaml)", (root / "docs" / "examples.md").read_text())
    assert sorted(shown) == sorted(path.name for path in (root / "examples").glob("*.yaml"))


def test_python_reference_is_complete(root):
    """Every public name of the package has an entry, except the viewer, which has its own page."""
    pages = "".join(path.read_text() for path in (root / "docs" / "api").glob("*.md"))
    shown = set(re.findall(r"^\.\. auto\w+:: linerad\.([\w.]+?)(?:\(\))?$", pages, re.M))
    text = (root / "python" / "linerad" / "__init__.py").read_text()
    imported = re.findall(r"^from \.[a-z]\w* import (\([^)]*\)|.*)$", text, re.M)
    names = set(re.findall(r"\b[A-Za-z]\w+\b", " ".join(imported)))
    assert len(names) > 40
    assert names - shown == {"Estimate", "Partner"}


def test_how_to_pages_are_listed(root):
    folder = root / "docs" / "howto"
    listed = re.findall(r"^(\w+)$", (folder / "index.md").read_text(), re.M)
    assert sorted(listed) == sorted(path.stem for path in folder.glob("*.md") if path.stem != "index")
    for name in listed:
        assert (folder / f"{name}.md").read_text().startswith("# How do I "), f"{name}.md asks no question"


def test_no_line_of_prose_begins_like_a_list(root):
    """A line of a paragraph that begins with %, >, + or a number and a bracket would become a comment, a quotation or a
    list on the site."""
    for path in [*(root / "docs").rglob("*.md"), root / "README.md", root / "CONTRIBUTING.md"]:
        text = re.sub(r"^(```|\$\$).*?^\1$", "", path.read_text(), flags=re.S | re.M)
        found = re.findall(r"^.*\S.*\n( *(?:[%>+] |\d+\) ).*)$", text, re.M)
        assert not found, f"{path.name}: {found}"


def test_no_page_is_named_after_a_date(root):
    pages = [path for path in (root / "docs").rglob("*.md")]
    titles = [path.name + path.read_text().partition("\n")[0] for path in pages]
    assert len(pages) > 40 and not [title for title in titles if re.search(r"20\d\d-\d\d", title)]


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
