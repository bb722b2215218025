"""Where the tree is, whatever folder a test is in."""

from pathlib import Path

__all__ = ["ROOT", "TESTS"]

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
