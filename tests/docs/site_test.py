"""What the documentation site is made with: site_test.py ROOT. Whether Sphinx takes the pages is told by ./dev docs."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # beside the sources
ROOT = pathlib.Path(sys.argv.pop())
sys.path.insert(0, str(ROOT / "docs/site"))
import build  # noqa: E402
import cpp_reference  # noqa: E402


class SiteTest(unittest.TestCase):
    def test_finds_what_is_wrong_with_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "b.html").write_text('<p id="here"></p>')
            (folder / "a.html").write_text('<a href="b.html#here">1</a><a href="https://else.where">2</a><img src="data:image/png;base64,"/>')
            self.assertEqual(build.mistakes(folder), [])
            (folder / "a.html").write_text('<a href="c.html">1</a><a href="b.html#there">2</a><script src="https://else.where/x.js"></script>')
            (folder / "s.css").write_text("@import url(https://else.where/x.css)")
            self.assertEqual(len(build.mistakes(folder)), 4)

    def test_links_lead_to_pages(self):
        staged = {ROOT / "README.md": "index.md", ROOT / "docs/tour.md": "docs/tour.md", ROOT / "docs/README.md": "docs/README.md"}
        text = "[a](tour.md#install) [b](../README.md) [c](https://else.where) [d](../cotangent)"
        self.assertEqual(
            build.with_links(text, ROOT / "docs/README.md", staged),
            "[a](../docs/tour.md#install) [b](../index.md) [c](https://else.where) [d](../docs/README.md)",
        )

    def test_every_page_is_in_the_contents(self):
        trees = build.contents((ROOT / "docs/README.md").read_text(encoding="utf-8")).split()
        for page in (ROOT / "docs").glob("*.md"):
            self.assertIn(f"docs/{page.stem}", [name.removesuffix(".md") for name in trees])

    def test_the_reference_shows_what_is_public(self):
        page = cpp_reference.page(ROOT)
        for name in ("`Run`", "`RunPlan`", "`ModelBuilder`", "`Evaluation`", "`compare`", "`load_model`", "`BlackBox`", "`Summary`"):
            self.assertIn(f"### {name}\n", page)
        self.assertNotIn("private:", page)
        self.assertNotIn("unique_ptr<Body>", page)


if __name__ == "__main__":
    unittest.main()
