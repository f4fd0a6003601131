"""Open every page of the built site in a headless Chromium, from disk, as wide as a desktop and as a phone. A page fails
that complains on its console, asks for anything but files of the site, misses a picture, or is wider than its window.

    python tests/docs/site_in_browser.py out/docs [--pictures FOLDER]

Without a Chromium it says so and passes. tools/check docs runs it."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from browser import Browser, find_browser  # noqa: E402

SIZES = {"desktop": (1280, 800), "phone": (390, 844)}
BROKEN = "[...document.images].filter((image) => !image.naturalWidth).map((image) => image.src)"
# What reaches beyond the window, unless it scrolls inside something that does not.
TOO_WIDE = """(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const scrolls = (node) => node && (getComputedStyle(node).overflowX !== 'visible' || scrolls(node.parentElement));
    return [...document.querySelectorAll('body *')]
        .filter((node) => node.getBoundingClientRect().right > width + 1 && !scrolls(node.parentElement))
        .map((node) => `${node.tagName} '${node.textContent.trim().slice(0, 40)}'`).slice(0, 3)
        .concat(`${document.documentElement.scrollWidth} pixels`);
})()"""


def faults(browser, page, pictures):
    """What is wrong with a page, in words."""
    browser.size(*SIZES["desktop"])
    browser.show(page)
    for name, size in SIZES.items():
        browser.size(*size, phone=name == "phone")
        browser.drawn()
        if pictures:
            browser.picture(pictures / f"{page.stem}_{name}.png", whole=True)
        for wide in browser.run(TOO_WIDE):
            yield f"too wide on a {name}: {wide}"
    # pictures below the window are loaded when somebody scrolls to them
    browser.run("for (const image of document.images) image.loading = 'eager'")
    browser.wait("[...document.images].every((image) => image.complete)")
    yield from (f"no picture: {address}" for address in browser.run(BROKEN))
    yield from (f"on the console: {text}" for text in browser.complaints())
    yield from (f"asks for {address}" for address in browser.requests() if not address.startswith(("file:", "data:")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="save pictures of all pages there")
    options = parser.parse_args()
    program = find_browser()
    if not program:
        print("no Chromium: the pages were not opened in one (tools/install-deps check installs it)")
        return 0
    pages = sorted(options.site.rglob("*.html"))
    if not pages:
        parser.error(f"{options.site} has no pages")
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    browser = Browser(program)
    found = [f"{page.relative_to(options.site)}: {fault}" for page in pages
             for fault in faults(browser, page, options.pictures)]  # fmt: skip
    browser.close()
    print(*found, f"{len(pages)} pages opened in {Path(program).name}", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
