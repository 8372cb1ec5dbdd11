#!/usr/bin/env python3
"""Measures what an agent waits for: whole processes of `cm hook` on a generated vault, and how much they tell.

    cargo build --release
    python3 benches/hooks.py --genvault PATH/genvault.py --size 10000 --runs 21

The vault is made as in processes.py, and has CORE.md and a branch whose name says what is being worked on. Each event is told --runs times
after one to warm up, each time in a session of its own; the table shows the median and the worst. `--size` notes are the memories;
200 rules are added to them, made of the same words. It needs python3 and git, nothing else.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from processes import Failed, Vault, environment, number, run

WORDS = """retry timeout pool socket cache migration index lock queue schema gateway token header parser lexer stream buffer
thread worker scheduler cursor snapshot replica shard backup deploy rollback container network firewall session cookie
chart table query filter page fixture benchmark trace log alert budget ledger tenant role permission hash""".split()
RULES = 200
PROMPT = "the retry of the gateway hangs when the cache is cold, and the migration of the session table holds a lock; please fix it"
# What an agent waits for at most, in milliseconds.
GOALS = {"session-start": 50, "prompt": 30, "pre-tool": 20, "stop": 10}


def rules(folder):
    draw = random.Random(7)
    for at in range(RULES):
        one, other, third = draw.sample(WORDS, 3)
        path = os.path.join(folder, "playbook", one)
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, f"rule-{at}.md"), "w", encoding="utf8") as file:
            file.write(f"---\nid: b-mt2ssunl-{at:06}\ntype: rule\ncategory: {one}\nstate: active\nmaturity: established\n"
                       f"created: 2026-10-01T08:00:00Z\n---\n\nCheck the {one} before the {other} is given to the {third}, rule {at}.\n")


def told(vault, event, at):
    """Tells a hook of an event; milliseconds, and what it printed."""
    message = {"session_id": f"s-{event}-{at}", "cwd": vault.folder, "source": "startup", "prompt": PROMPT,
               "tool_name": "Bash", "tool_input": {"command": "git push --force origin main"}}
    begun = time.perf_counter()
    done = subprocess.run([vault.cm_path, "hook", "claude", event], input=json.dumps(message).encode(), env=vault.env,
                          cwd=vault.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    wall = (time.perf_counter() - begun) * 1e3
    # What runs in the background is not to slow the next one down.
    run(vault.cm("reindex"), vault.folder, vault.env)
    return wall, done.stdout.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--genvault", required=True, help="script: N OUTDIR --sharded")
    parser.add_argument("--cm", default="target/release/cm", help="the binary [target/release/cm]")
    parser.add_argument("--size", type=int, default=10_000, help="notes [10000]")
    parser.add_argument("--runs", type=int, default=21, help="measured runs of each event [21]")
    args = parser.parse_args()
    work = tempfile.mkdtemp(prefix="cm-hooks-")
    try:
        vault = Vault(args.size, os.path.join(work, "vault"), os.path.abspath(args.cm), environment(work))
        vault.make(os.path.abspath(args.genvault), 60 + args.size / 10)
        rules(vault.folder)
        run(vault.cm("trust"), vault.folder, vault.env)
        run(vault.cm("core"), vault.folder, vault.env)
        run(["git", "checkout", "--quiet", "-b", "fix/gateway-retry-timeout"], vault.folder, vault.env)
        run(vault.cm("reindex"), vault.folder, vault.env)
        print("| event | median ms | worst ms | allowed | characters |\n|---|---:|---:|---:|---:|")
        for event, goal in GOALS.items():
            runs = [told(vault, event, at) for at in range(args.runs + 1)][1:]
            walls, said = [wall for wall, _ in runs], max((text for _, text in runs), key=len)
            context = json.loads(said).get("hookSpecificOutput", {}).get("additionalContext", "") if said else ""
            print(f"| {event} | {number(statistics.median(walls))} | {number(max(walls))} | {goal} | {len(context):,} |")
        log = os.path.join(vault.folder, "_state", "hooks.log")
        if os.path.exists(log):
            with open(log, encoding="utf8") as file:
                raise Failed(f"a hook failed: {file.readline().strip()}")
    except (Failed, subprocess.SubprocessError, OSError) as failure:
        print(f"hooks.py: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
