#!/usr/bin/env python3
"""Writes a vault with a large playbook, and measures `cm context` beside `cm search` on it, and commands that look at all rules.

    python3 benches/bullets.py DIR 10000                        # only writes DIR
    python3 benches/bullets.py DIR 10000 --cm target/release/cm # and measures; DIR must not exist

The vault is the same for the same number: N bullets in twenty categories, with feedback, of all states and maturities, and
beside them N/10 memories and N/500 blocked patterns. The commands run in rounds, one after the other; the table shows
medians of the CPU and wall time of whole processes.
"""

import argparse
import os
import pathlib
import random
import resource
import statistics
import subprocess
import time

NOW = "2026-11-21T12:00:00Z"
SUBJECTS = """retry timeout pool socket cache migration index lock queue schema gateway token header parser lexer stream
buffer thread worker scheduler cursor snapshot replica shard backup restore deploy rollback container network firewall
certificate session cookie form chart table query filter sort page test fixture mock fuzz benchmark profile trace log
metric alert budget quota limit price invoice ledger account tenant role permission secret key hash signature""".split()
VERBS = "check bound name measure test log close open flush sort split merge retry verify pin drop keep rename batch".split()
PLACES = "Postgres Redis tokio React TypeScript Rust Go the-gateway the-worker the-dashboard CI staging production".split()
CATEGORIES = [f"{subject}-rules" for subject in SUBJECTS[:20]]


def word(rng):
    return rng.choice(SUBJECTS)


def bullet(rng, number):
    anti = rng.random() < 0.15
    state = rng.choices(["active", "draft", "retired"], [85, 5, 10])[0]
    maturity = "deprecated" if state == "retired" else rng.choices(["candidate", "established", "proven"], [60, 30, 10])[0]
    scope = rng.choices(["global", "framework", "workspace"], [70, 20, 10])[0]
    rule = (f"{'AVOID: ' if anti else ''}{rng.choice(VERBS)} the {word(rng)} before each {word(rng)} of "
            f"{rng.choice(PLACES)}, and {rng.choice(VERBS)} every {word(rng)} that {word(rng)}_{word(rng)} leaves, case {number}.")
    lines = [
        "---", f"id: b-mt2ssunl-{number:06d}", f"type: {'anti_pattern' if anti else 'rule'}",
        f"category: {CATEGORIES[number % len(CATEGORIES)]}", f"state: {state}", f"maturity: {maturity}", f"scope: {scope}",
    ]
    if scope == "framework":
        lines.append(f"scope_key: {rng.choice(PLACES)}")
    if scope == "workspace":
        lines.append("workspace: tidewater")
    if rng.random() < 0.002:
        lines.append("pinned: true")
    lines.append(f"tags: [{word(rng)}, {word(rng)}]")
    events = rng.randrange(6)
    if events:
        lines.append("feedback:")
    for _ in range(events):
        day = f"2026-{rng.randrange(6, 12):02d}-{rng.randrange(1, 21):02d}T08:00:00Z"
        lines += [f"  - at: {day}", f"    signal: {rng.choices(['helpful', 'harmful'], [9, 1])[0]}"]
    lines += ["created: 2026-05-01T08:00:00Z", "---", "", rule, "", "## Why", "", f"It broke the {word(rng)} once.", ""]
    return "\n".join(lines)


def memory(rng, number):
    text = " ".join(word(rng) for _ in range(60))
    return (f"---\nid: 00000000-0000-4000-8000-{number:012d}\ntype: fact\ntitle: The {word(rng)} of the {word(rng)} {number}\n"
            f"tags: [{word(rng)}]\ncreated: 2026-10-01T08:00:00Z\n---\n\n{text}.\n")


def blocked(rng, number):
    return (f"---\nid: 10000000-0000-4000-8000-{number:012d}\nkind: deprecated\npattern: {word(rng)}_{word(rng)}_{number}()\n"
            f"reason: it is old\ncreated: 2026-10-01T08:00:00Z\n---\n")


def write(folder, count):
    rng = random.Random(count)
    files = {"cm.toml": "", ".gitignore": "/_index/\n/_state/\n"}
    for number in range(count):
        category = CATEGORIES[number % len(CATEGORIES)]
        files[f"playbook/{category}/{number % 256:02x}/rule-{number:06d}.md"] = bullet(rng, number)
    for number in range(count // 10):
        files[f"graph/facts/{number % 256:02x}/fact-{number:06d}.md"] = memory(rng, number)
    for number in range(count // 500):
        files[f"blocked/pattern-{number:06d}.md"] = blocked(rng, number)
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def run(command, folder):
    environment = {"PATH": os.environ["PATH"], "HOME": f"{folder}-home", "CM_NOW": NOW, "CM_GLOBAL_VAULT": ""}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu * 1000, wall * 1000


def main():
    about = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    about.add_argument("folder", type=pathlib.Path)
    about.add_argument("count", type=int)
    about.add_argument("--cm", type=pathlib.Path, help="the program to measure")
    about.add_argument("--runs", type=int, default=15)
    given = about.parse_args()
    if given.folder.exists():
        about.error(f"{given.folder} exists")
    write(given.folder, given.count)
    if not given.cm:
        return
    cm, task = str(given.cm.resolve()), "retry the socket pool behind the firewall and test the migration in Postgres"
    pieces = {
        "cm search": [cm, "search", task],
        "cm context": [cm, "context", task],
        "cm context --no-refresh": [cm, "context", task, "--no-refresh", "--quiet"],
        "cm search --no-refresh": [cm, "search", task, "--no-refresh", "--quiet"],
        "cm playbook add": [cm, "playbook", "add", "Measure rule NUMBER before the release goes out.", "--quiet"],
        "cm stats after an add": [cm, "stats"],
    } | {
        f"cm {name} --no-refresh": [cm, *name.split(), "--no-refresh", "--quiet"]
        for name in ["playbook list", "core --print", "stats", "reflection --print", "review"]
    }
    run([cm, "trust"], given.folder)
    run([cm, "reindex"], given.folder)
    costs = {name: [] for name in pieces}
    for number in range(given.runs + 1):
        for name, command in pieces.items():
            command = [word.replace("NUMBER", str(number)) for word in command]
            costs[name].append(run(command, given.folder))
    print(f"| {given.count} bullets | CPU ms | wall ms |\n|---|---|---|")
    for name, measured in costs.items():
        cpu, wall = (statistics.median(values) for values in zip(*measured[1:]))
        print(f"| {name} | {cpu:.1f} | {wall:.1f} |")


if __name__ == "__main__":
    main()
