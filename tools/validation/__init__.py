"""The validation suite of tools/validate. Its models and expected values are those of tests/physics."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "physics"))
