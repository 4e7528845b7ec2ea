"""Tests of the explorer in a browser, a file a topic; explorer_in_browser.py runs them all."""
