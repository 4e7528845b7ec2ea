"""The explorer in Chromium: what it shows, by mouse, keys and names, and what it refuses.

    explorer_in_browser.py STORED.html FIXTURE.html [-k PATTERN]

STORED is the page of the stored tables, FIXTURE that of explorer_fixture.py, beside which own/ and sends/explorer.html are. Runs every file of
in_browser/; with -k those tests whose names have PATTERN. Needs selenium, chromium and chromedriver (ci/install explorer); the browser
reaches no network.
"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    found = ["--start-directory", str(HERE / "in_browser"), "--top-level-directory", str(HERE), "--pattern", "[a-z]*.py"]
    unittest.main(module=None, argv=[sys.argv[0], "discover", "--verbose", *found, *sys.argv[3:]])
