"""That the records of runs fit the schema of data/schema, and that it refuses what is not one.

    schemas.py RAW

RAW is a folder of runs that the program did. Run from the project's folder; needs jsonschema, which Snakemake
brings along.
"""

import copy
import json
import sys
import unittest
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMAS = Path("data/schema")


def validator(name):
    return Draft202012Validator(json.loads((SCHEMAS / name).read_text(encoding="utf-8")))


class Schemas(unittest.TestCase):
    def test_each_schema_is_one(self):
        paths = sorted(SCHEMAS.glob("*.json"))
        self.assertGreater(len(paths), 20)
        for path in paths:
            with self.subTest(path.name):
                Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))

    def test_each_record_fits_its_schema_and_a_damaged_one_does_not(self):
        record_schema = validator("run-record.json")
        records = [json.loads(path.read_text(encoding="utf-8")) for path in RAW.rglob("run.json")]
        self.assertGreater(len(records), 0, RAW)
        for record in records:
            self.assertEqual([error.message for error in record_schema.iter_errors(record)], [])
            wrong_word = copy.deepcopy(record)
            wrong_word["configuration"]["operation"] = "reed"
            self.assertFalse(record_schema.is_valid(wrong_word))
            self.assertFalse(record_schema.is_valid(record | {"surprise": 1}))
            del record["outcome"]
            self.assertFalse(record_schema.is_valid(record))


if __name__ == "__main__":
    RAW = Path(sys.argv.pop(1))
    unittest.main(verbosity=2)
