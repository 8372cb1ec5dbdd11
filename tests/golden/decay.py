#!/usr/bin/env python3
"""Writes decay.tsv: cases of the decay score, computed from the definition and not from the program.

    decay = importance * e^(-lambda * days since last access) * usage * type weight * 0.5^(harm)

Run it in this folder: python3 decay.py > decay.tsv
"""

import math
from datetime import datetime, timezone

NOW = "2026-11-21T12:00:00Z"

# importance, type weight, accesses, last access, updated, created, priority, pinned, feedback
# feedback: `helpful|harmful|irrelevant @ date * weight`, several separated by `;`
CASES = [
    ("1.0", 1.0, 1, NOW, "", "", "", False, ""),
    ("1.0", 1.0, 0, "", NOW, "", "", False, ""),
    ("0.8", 1.2, 0, "", "2026-11-01T12:00:00Z", "2026-01-01T00:00:00Z", "", False, ""),
    ("0.8", 1.2, 0, "", "", "2026-10-22T12:00:00Z", "", False, ""),
    ("0.8", 1.2, 3, "2026-11-20T12:00:00Z", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "", False, ""),
    ("0.8", 1.2, 3, "2026-10-20T12:00:00Z", "2026-11-20T12:00:00Z", "", "", False, ""),
    ("0.8", 1.2, 7, "", "2026-11-14T12:00:00Z", "", "", False, ""),
    ("0.8", 1.2, 1000000, "2026-11-20T00:00:00Z", "", "", "", False, ""),
    ("", 1.0, 1, NOW, "", "", "", False, ""),
    ("", 1.0, 0, "", "", "", "", False, ""),
    ("0.0", 1.4, 10, NOW, "", "", "", False, ""),
    ("0.9", 1.4, 0, "", "", "", "", False, ""),
    ("0.9", 1.4, 2, "2027-11-21T12:00:00Z", "", "", "", False, ""),
    ("0.9", 1.4, 0, "", "2031-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "", False, ""),
    ("0.1", 0.8, 0, "", "2000-01-01T00:00:00Z", "", "", True, ""),
    ("0.1", 0.8, 0, "", "", "", "", True, "harmful@2026-11-21T12:00:00Z*1;harmful@2026-11-21T12:00:00Z*1"),
    ("0.7", 1.0, 1, "2026-11-14T12:00:00Z", "", "", "ephemeral", False, ""),
    ("0.7", 1.0, 1, "2026-11-14T12:00:00Z", "", "", "critical", False, ""),
    ("0.7", 1.0, 1, "2026-11-14T12:00:00Z", "", "", "moderate", False, ""),
    ("0.7", 1.0, 0, "", "2026-05-21T12:00:00Z", "", "ephemeral", False, ""),
    ("0.7", 1.0, 0, "", "2026-05-21T12:00:00Z", "", "critical", False, ""),
    ("0.6", 1.3, 4, "2026-11-11T12:00:00Z", "", "", "", False, "harmful@2026-11-21T12:00:00Z*1"),
    ("0.6", 1.3, 4, "2026-11-11T12:00:00Z", "", "", "", False, "harmful@2026-08-23T12:00:00Z*1"),
    ("0.6", 1.3, 4, "2026-11-11T12:00:00Z", "", "", "", False, "harmful@2026-11-21T12:00:00Z*0.25"),
    ("0.6", 1.3, 4, "2026-11-11T12:00:00Z", "", "", "", False,
     "harmful@2026-11-01T00:00:00Z*1;harmful@2026-06-01T00:00:00Z*0.5;harmful@2024-01-01T00:00:00Z*1"),
    ("0.6", 1.3, 4, "2026-11-11T12:00:00Z", "", "", "", False, "harmful@2030-01-01T00:00:00Z*1"),
    ("0.6", 1.3, 0, "", "2026-09-01T00:00:00Z", "", "", False, "helpful@2026-11-18T12:00:00Z*1"),
    ("0.6", 1.3, 2, "2026-11-20T12:00:00Z", "", "", "", False, "helpful@2026-10-01T00:00:00Z*1"),
    ("0.6", 1.3, 2, "2026-10-01T00:00:00Z", "", "", "", False, "helpful@2026-11-20T12:00:00Z*0.5"),
    ("0.6", 1.3, 0, "", "2026-11-01T00:00:00Z", "", "", False, "irrelevant@2026-11-20T00:00:00Z*1"),
    ("0.6", 1.3, 1, "2026-11-01T00:00:00Z", "", "", "ephemeral", False,
     "helpful@2026-11-19T00:00:00Z*1;harmful@2026-11-20T06:30:00Z*1;irrelevant@2026-11-20T00:00:00Z*1"),
    ("1.0", 1.25, 0, "", "2025-11-21T12:00:00Z", "", "", False, ""),
    ("1.0", 1.25, 63, "2025-11-21T12:00:00Z", "", "", "", False, ""),
    ("0.55", 0.9, 1, "2026-11-21T11:59:59Z", "", "", "", False, ""),
    ("0.5", 1.0, 1, NOW, "", "", "", False, ""),
    ("0.4", 1.0, 0, "", NOW, "", "", False, ""),
    ("0.1", 1.0, 0, "", NOW, "", "", False, ""),
    ("0.0999", 1.0, 0, "", NOW, "", "", False, ""),
]

LAMBDA = {"": 0.03, "moderate": 0.03, "ephemeral": 0.12, "critical": 0.0075}


def at(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)


def days(text):
    return max((at(NOW) - at(text)).total_seconds() / 86400, 0.0)


def score(importance, weight, accesses, last, updated, created, priority, pinned, feedback):
    if pinned:
        return 999.0
    helpful, harm = [], 0.0
    for event in filter(None, feedback.split(";")):
        signal, rest = event.split("@")
        when, value = rest.split("*")
        if signal == "helpful":
            helpful.append(when)
        elif signal == "harmful":
            harm += float(value) * 2 ** (-days(when) / 90)
    used = sorted(helpful + ([last] if last else []))
    seen = used[-1] if used else updated or created
    age = days(seen) if seen else 0.0
    count = accesses + len(helpful)
    usage = math.log(count + 1) / math.log(2) if count else 0.5
    return float(importance or 0.5) * math.exp(-LAMBDA[priority] * age) * usage * weight / 2**harm


def status(value):
    for name, least in [("pinned", 999), ("active", 0.5), ("fading", 0.2), ("dormant", 0.05)]:
        if value >= least:
            return name
    return "archived"


print("# now", NOW, sep="\t")
print("# importance", "weight", "accesses", "last_access", "updated", "created", "priority", "pinned", "feedback",
      "score", "status", sep="\t")
for case in CASES:
    value = score(*case)
    print(*case[:7], str(case[7]).lower(), case[8], f"{value:.12g}", status(value), sep="\t")
