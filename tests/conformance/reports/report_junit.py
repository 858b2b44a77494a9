# SPDX-License-Identifier: Apache-2.0
"""Holds a JUnit report to the rules of Jenkins' junit-10.xsd, and to the json report of the same run:
report_junit.py REPORT.xml REPORT.json

The rules of the schema, which Surefire, pytest and GitLab share: what stands in what, which attributes there are and must
be, how a time is written, and counts that are those of the elements.
"""
import json
import re
import sys
import xml.etree.ElementTree as xml

# element: (required attributes, further attributes, children)
RULES = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name", "classname"}, {"time", "group"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    "skipped": (set(), {"type", "message"}, set()),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
}
TIME = re.compile(r"[0-9]+\.[0-9]{3}")


def check_schema(element):
    required, further, children = RULES[element.tag]
    assert required <= set(element.attrib) <= required | further, (element.tag, element.attrib)
    if "time" in element.attrib:
        assert TIME.fullmatch(element.attrib["time"]), element.attrib["time"]
    if element.tag not in ("failure", "error", "skipped", "system-out", "system-err"):
        assert not (element.text or "").strip(), (element.tag, element.text)
    for child in element:
        assert child.tag in children, f"{child.tag} in {element.tag}"
        check_schema(child)


def check_suite(suite, run):
    """The same cases, outcomes, reasons, places of errors and repro lines as the json report has."""
    assert suite.get("name") == run["kernel"]
    assert suite.find("properties/property[@name='complete']").get("value").startswith("yes") == run["complete"]
    tests = suite.findall("testcase")
    for attribute, found in (
        ("tests", tests),
        ("failures", suite.findall("testcase/failure")),
        ("errors", suite.findall("testcase/error")),
        ("skipped", suite.findall("testcase/skipped")),
    ):
        assert int(suite.get(attribute)) == len(found), (attribute, suite.get(attribute), len(found))

    failures = {failure["property"]: failure for failure in run["failures"] if "property" in failure}
    assert len(tests) >= len(run["cases"])
    for test, case in zip(tests, run["cases"]):
        property_name = case["property"]
        assert test.get("classname") == f"{run['kernel']}.{property_name}"
        assert test.get("name") == f"attestone run --kernel='{run['kernel']}' --property={property_name} '{case['problem']}'"
        failure, skipped, error = test.find("failure"), test.find("skipped"), test.find("error")
        assert (error is not None) == (case.get("reason") == "property-error"), test.get("name")
        if error is not None:
            assert error.get("message") == case["evidence"]
            continue
        assert (failure is not None) == (case["outcome"] == "failed"), test.get("name")
        assert (skipped is not None) == (case["outcome"] in ("skipped", "inconclusive")), test.get("name")
        if failure is not None:
            assert failure.get("type") == case["reason"] and failure.get("message") == case["evidence"]
            told = failures[property_name]
            assert case["evidence"] in failure.text and f"repro {told['repro']}\n" in failure.text, failure.text
            for tensor in told.get("first_problem_by_place", []):
                places = f"{tensor['tensor']}: {tensor['where']} ({tensor['beyond_bound']} of {tensor['elements']}"
                assert (places in failure.text) == (tensor["beyond_bound"] > 0), failure.text
        if skipped is not None:
            assert skipped.get("type") == case["reason"] and case["evidence"] in skipped.get("message")

    others = tests[len(run["cases"]):]
    refused = {t.get("name"): t.find("skipped").get("message") for t in others if t.find("skipped") is not None}
    assert refused == {why: f"{count} problems refused: {why}" for why, count in run["refusals"].items()}
    errors = [t.find("error").get("message") for t in others if t.find("error") is not None]
    left_out = f", {run['problems_left_out']} of {run['problems']} problems left out" if run["problems_left_out"] else ""
    unasked = f"; nothing was asked about {', '.join(run['features_left_out'])}" if run["features_left_out"] else ""
    told = [f"{run['cut_short']}{left_out}{unasked}"] * (run["cut_short"] is not None)
    assert [e.split(": ")[1] for e in errors] == told, errors
    general = [t.find("failure").get("type") for t in others if t.find("failure") is not None]
    assert general == [failure["reason"] for failure in run["failures"] if "property" not in failure]


root = xml.parse(sys.argv[1]).getroot()
report = json.load(open(sys.argv[2]))
assert root.tag == "testsuites" and root.get("name") == "attestone: " + report["suite"]
check_schema(root)
suites = root.findall("testsuite")
assert len(suites) == len(report["runs"])
for suite, run in zip(suites, report["runs"]):
    check_suite(suite, run)
