"""A project of its own for each test, and what the committed one has."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "workflow"))

from study import Refusal, Study, study as module  # noqa: E402

SCHEMA = PROJECT / "workflow" / "schemas" / "config.yaml"
# Sets that need no machine.
STORED = ["published", "stated", "arithmetic", *(f"nurdma-{name}-predicted" for name in ["cx3", "cx4", "apt"])]
SWEPT = [
    f"{name}-swept"
    for name in ["atc16-cx3", "atc16-cib", "asplos14-simulated", "nurdma-cx3", "nurdma-cx4", "nurdma-apt"]
]


class InAProject(unittest.TestCase):
    """Each test has a project of its own, which it may change."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        root = Path(self.place.name)
        for name in ["experiments", "profiles", "config"]:
            shutil.copytree(PROJECT / name, root / name)
        for name in ["figures", "data"]:
            (root / name).symlink_to(PROJECT / name)
        self.root = root
        module.EXPERIMENTS, module.PROFILES, module.FIGURES = (
            str(root / name) for name in ["experiments", "profiles", "figures"]
        )
        module.MODEL = str(PROJECT / "paper" / "model.toml")
        self.config = yaml.safe_load((root / "config/config.yaml").read_text())
        for table in self.config["tables"].values():
            table["folder"] = str(root / table["folder"])

    def tearDown(self):
        self.place.cleanup()

    def study(self, **changes):
        return Study({**self.config, **changes}, SCHEMA)

    def refusal(self, **changes):
        with self.assertRaises(Refusal) as caught:
            self.study(**changes)
        return str(caught.exception)

    def add_profile(self, name, kind="measured", more=""):
        (self.root / "profiles" / name).mkdir()
        text = f'[profile]\nname = "{name}"\ntitle = "t"\nkind = "{kind}"\nsource = "s"\n{more}'
        (self.root / "profiles" / name / "machine.toml").write_text(text)
