# SPDX-License-Identifier: Apache-2.0
"""Validates reports against docs/report.schema.json: report_schema.py SCHEMA REPORT..."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for path in sys.argv[2:]:
    validator.validate(json.load(open(path)))
