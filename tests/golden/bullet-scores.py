#!/usr/bin/env python3
"""Writes bullet-scores.tsv: cases of a bullet's effective score and of the maturity that follows from it, computed from
the definition and not from the program.

    score = (sum of helpful - 4 * sum of harmful) * multiplier of the maturity
    an event counts weight * 0.5^(age in days / half-life), and no event more than an explicit one (weight 1)

The maturity is the replay of the events in time order, each judged at its own instant; each harmful event comes from a
session of its own. A helpful event only raises, a harmful one only lowers.

Run it in this folder: python3 bullet-scores.py > bullet-scores.tsv
"""

import math
from datetime import datetime, timedelta, timezone
from fractions import Fraction

NOW = "2026-11-21T12:00:00Z"
FORM = "%Y-%m-%dT%H:%M:%SZ"
MULTIPLIER = {"candidate": Fraction(1, 2), "established": Fraction(1), "proven": Fraction(3, 2),
              "deprecated": Fraction(0)}


def at(text):
    return datetime.strptime(text, FORM).replace(tzinfo=timezone.utc)


def ago(days=0, seconds=0):
    return (at(NOW) - timedelta(days=days, seconds=seconds)).strftime(FORM)


def helpful(n=1, days=0, weight="1", seconds=0):
    return [("helpful", ago(days, seconds), weight)] * n


def harmful(n=1, days=0, weight="1", seconds=0):
    return [("harmful", ago(days, seconds), weight)] * n


def irrelevant(n=1, days=0):
    return [("irrelevant", ago(days), "1")] * n


CASES = []


def case(maturity, events, half_life="", pinned=False, now=NOW):
    CASES.append((maturity, pinned, half_life, now, events))


# Eight times helpful in January and never since, seen on the first day of each later month.
JANUARY = [("helpful", f"2026-01-{day:02}T10:00:00Z", "1") for day in (2, 5, 9, 12, 16, 20, 27, 31)]
for maturity in MULTIPLIER:
    for month in range(2, 13):
        case(maturity, JANUARY, now=f"2026-{month:02}-01T00:00:00Z")

# Nothing at all, and what counts for nothing.
for maturity in MULTIPLIER:
    case(maturity, [])
case("candidate", irrelevant(9))
case("established", irrelevant(3) + helpful(1, 10) + irrelevant(1, 400))
case("candidate", helpful(4) + irrelevant(5))
case("candidate", helpful(9, weight="0") + harmful(9, weight="0"))

# A candidate rises at a score of 2, with one recent helpful event.
case("candidate", helpful(4))
case("candidate", helpful(3) + helpful(weight="0.99"))
case("candidate", helpful(6, 90) + helpful(1))
case("candidate", helpful(6, 91) + helpful(1))
case("candidate", helpful(8, 30))
case("candidate", helpful(8, 30, seconds=1))
case("candidate", helpful(40, 200))
case("candidate", helpful(8, 40) + harmful(1, 40))
case("candidate", helpful(8) + harmful(1))
case("candidate", helpful(7) + harmful(1))
# Two steps at once, where the feedback is enough for both.
case("candidate", helpful(5))
case("candidate", helpful(4) + helpful(weight="0.75"))
case("candidate", helpful(9, 60) + helpful(1))
case("candidate", helpful(9, 60) + helpful(2))

# An established one rises at 5, with two recent helpful events and a ratio below 0.1.
case("established", helpful(5))
case("established", helpful(4) + helpful(weight="0.99"))
case("established", helpful(8, 90) + helpful(1))
case("established", helpful(6, 90) + helpful(2))
case("established", helpful(6, 90) + helpful(1) + helpful(1, 30))
case("established", helpful(8, 90) + helpful(1) + helpful(1, 30))
case("established", helpful(8, 90) + helpful(1) + helpful(1, 30, seconds=1))
case("established", helpful(9) + harmful(1))
case("established", helpful(10) + harmful(1))
case("established", helpful(18) + harmful(2))
case("established", helpful(18, 90) + harmful(2, 90))
case("established", helpful(9) + harmful(1, 1))
case("proven", helpful(50))

# Down by the ratio: above 0.3, with three events.
case("established", helpful(7, weight="0.5") + harmful(3, weight="0.5"))
case("established", helpful(7, weight="0.5") + harmful(2, weight="0.5") + harmful(weight="0.51"))
case("proven", helpful(7, weight="0.25") + harmful(3, weight="0.25"))
case("proven", helpful(7, weight="0.25") + harmful(2, weight="0.25") + harmful(weight="0.26"))
case("candidate", helpful(7, 90) + harmful(3, 90))
case("candidate", helpful(7, 90) + harmful(3, 89))
case("established", helpful(1) + harmful(1))
case("established", helpful(2) + harmful(1))
case("established", helpful(1) + harmful(1) + irrelevant(1))
case("candidate", harmful(2, 300))
case("candidate", harmful(3, 300))
case("candidate", harmful(3, 3000))
case("established", helpful(20, 400) + harmful(1, 10))

# Down by the score: below -3.
case("established", helpful(1, weight="0.99") + harmful(1))
case("candidate", harmful(1) + harmful(1, weight="0.5"))
case("candidate", harmful(1) + harmful(1, weight="0.51"))
case("proven", harmful(1, weight="0.5"))
case("proven", harmful(1, weight="0.51"))
case("proven", harmful(1, 90))
case("proven", harmful(1, 89))
case("established", harmful(1))
case("established", harmful(1, 37))
case("established", harmful(1, 38))
# Harm enough for both: the ratio is named.
case("established", helpful(10) + harmful(10))

# Pinned: never down, but up.
case("established", harmful(20), pinned=True)
case("candidate", helpful(2) + harmful(9, 3), pinned=True)
case("candidate", helpful(5), pinned=True)
case("deprecated", helpful(50), pinned=True)
case("deprecated", harmful(50))

# A half-life of its own, sound or not.
for half_life in ("30", "1", "365", "0.5", "90", "0", "-30", "nan", "inf", "-inf"):
    case("established", helpful(4, 45) + harmful(1, 100, "0.25"), half_life)
case("candidate", helpful(6, 20), "7")
case("candidate", helpful(6, 20), "0")

# The future counts as now, and as recent.
case("candidate", helpful(4, -400))
case("established", helpful(2, -1) + helpful(4, 90) + harmful(1, 365))
case("established", harmful(1, -10))

# Fractions of a weight, and weights that no event has.
case("established", helpful(5, weight="0.3"))
case("established", helpful(5, 12, "0.3") + harmful(1, 90, "0.1"))
case("established", helpful(5, 3, "7.5"))
case("established", helpful(1) + harmful(4, weight="-2"))

# On a threshold by tenths, which binary numbers only come close to.
case("candidate", helpful(20, weight="0.2"))
case("candidate", helpful(40, weight="0.1"))
case("established", helpful(50, weight="0.1"))
case("established", helpful(70, weight="0.1") + harmful(10, weight="0.1") + helpful(20, weight="0.1"))
case("established", helpful(7, weight="0.3") + harmful(3, weight="0.3"))
case("established", helpful(7, weight="0.1") + harmful(3, weight="0.1"))
case("established", harmful(30, weight="0.1") + helpful(90, weight="0.1"))
case("candidate", harmful(2, weight="0.7") + harmful(1, weight="0.1"), pinned=True)
case("proven", harmful(2, weight="0.25"))

# The history of a feedback that once destroyed: helpful, harmful, helpful.
case("candidate", helpful(1, 3) + harmful(1, 2) + helpful(1, 1))
case("candidate", helpful(1, 5) + harmful(2, 4) + helpful(3, 1))
# A proven rule, and harm long after its help.
case("proven", helpful(6, 400) + harmful(1, 1))
case("proven", helpful(6, 400) + harmful(1, 2) + harmful(1, 1))
case("proven", helpful(20, 40) + harmful(1, 1))
case("proven", helpful(20, 400) + harmful(1, 300) + harmful(1, 1))
case("established", helpful(4, 60) + harmful(1, 20) + helpful(2, 10))
case("established", helpful(4, 20) + harmful(1, 1))

# Everything at once.
case("candidate", helpful(3, 2) + helpful(2, 45, "0.3") + harmful(1, 10, "0.3") + irrelevant(2, 5))
case("established", helpful(7, 11) + helpful(3, 100) + harmful(1, 33) + helpful(5, 20, "0.3"), "60")
case("proven", helpful(12, 70) + harmful(1, 1) + harmful(1, 200), "120")


def half_life_of(text):
    days = float(text) if text else 90.0
    return days if math.isfinite(days) and days > 0 else 90.0


EXACT = Fraction(1, 10**9)  # a sum this close to a threshold is on it
WORDS = ["candidate", "established", "proven"]
SIGNALS = ["helpful", "harmful", "irrelevant"]


def value(event, now, half_life):
    age = max(at(now) - at(event[1]), timedelta(0))
    weight = min(max(Fraction(event[2]), Fraction(0)), Fraction(1))
    return weight * Fraction(2.0 ** -(age.total_seconds() / 86400 / half_life))


def tally(events, now, half_life):
    """Sums are exact, so that a case on a threshold is on it."""
    good = sum((value(e, now, half_life) for e in events if e[0] == "helpful"), Fraction(0))
    bad = sum((value(e, now, half_life) for e in events if e[0] == "harmful"), Fraction(0))
    live = [e for e in events if e[0] != "irrelevant" and value(e, now, half_life) >= Fraction(1, 4) - EXACT]
    recent = sum(1 for e in events if e[0] == "helpful" and Fraction(e[2]) > 0
                 and max(at(now) - at(e[1]), timedelta(0)) <= timedelta(days=30))
    ratio = bad / (good + bad) if good + bad else Fraction(0)
    return good - 4 * bad, ratio, live, recent


def falls(events, maturity, now, half_life):
    base, ratio, live, _ = tally(events, now, half_life)
    if sum(1 for e in live if e[0] == "harmful") < 2:
        return None
    if ratio > Fraction(3, 10) + EXACT and len(live) >= 3:
        return "falls by ratio"
    return "falls by score" if base * MULTIPLIER[maturity] < -3 - EXACT else None


def replay(events, start, pinned, half_life):
    """The maturity at the end, the highest on the way, and why it fell."""
    events = sorted((e for e in events if Fraction(e[2]) > 0), key=lambda e: (at(e[1]), SIGNALS.index(e[0])))
    maturity = peak = start
    for count, event in enumerate(events, 1):
        past, now = events[:count], event[1]
        base, ratio, _, recent = tally(past, now, half_life)
        if event[0] == "helpful":
            if maturity == "candidate" and base * MULTIPLIER[maturity] >= 2 - EXACT and recent >= 1:
                maturity = "established"
            if maturity == "established" and base >= 5 - EXACT and recent >= 2 and ratio < Fraction(1, 10) - EXACT:
                maturity = "proven"
            peak = max(peak, maturity, key=WORDS.index)
        if event[0] == "harmful" and not pinned:
            why = falls(past, maturity, now, half_life)
            if why:
                return maturity, peak, why
            score = base * MULTIPLIER[maturity]
            if maturity == "proven" and (score < 5 - EXACT or ratio >= Fraction(1, 10) - EXACT):
                maturity = "established"
            elif maturity == "established" and score < 2 - EXACT and recent == 0:
                maturity = "candidate"
    return maturity, peak, None


def judge(maturity, pinned, half_life, now, events):
    """Score now, and what the events make of the stored maturity where harm was just reported if there is any."""
    half_life = half_life_of(half_life)
    score = tally(events, now, half_life)[0] * MULTIPLIER[maturity]
    if maturity == "deprecated":
        return score, "stays"
    harmed = any(e[0] == "harmful" and Fraction(e[2]) > 0 for e in events)
    reached, peak, why = replay(events, "candidate", pinned, half_life)
    if not why and WORDS.index(peak) < WORDS.index(maturity) and harmed:
        reached, peak, why = replay(events, maturity, pinned, half_life)
    if why:
        return score, why
    if WORDS.index(reached) > WORDS.index(maturity):
        return score, f"rises to {reached}"
    if WORDS.index(reached) < WORDS.index(maturity) <= WORDS.index(peak):
        return score, f"sinks to {reached}"
    return score, "stays"


def written(events):
    """Equal events in a row once, with their number."""
    runs = []
    for event in events:
        if runs and runs[-1][0] == event:
            runs[-1][1] += 1
        else:
            runs.append([event, 1])
    return ";".join(f"{n}x{signal}@{when}*{weight}" for (signal, when, weight), n in runs)


print("# maturity", "pinned", "half_life_days", "now", "feedback", "score", "verdict", sep="\t")
for maturity, pinned, half_life, now, events in CASES:
    score, verdict = judge(maturity, pinned, half_life, now, events)
    print(maturity, str(pinned).lower(), half_life, now, written(events), f"{float(score) + 0.0:.12g}", verdict, sep="\t")
