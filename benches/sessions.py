#!/usr/bin/env python3
"""Measures `cm sessions` on a large folder of agents' logs, and `cm guard` beside a vault with past incidents.

    python3 benches/sessions.py --cm target/release/cm --logs DIR --megabytes 1000 --large 250

DIR holds logs of Claude Code (`*.jsonl`), which are not in the repository. They are written again and again under other ids
until there are so many megabytes; one more log holds --large megabytes by itself. The table shows CPU (user and system),
wall time and peak memory of whole processes: reading all of it, reading again with nothing new, following a log that grew,
and searching. Then a command of each kind goes through `cm guard` as an agent's hook, beside 500 past incidents.
"""

import argparse
import hashlib
import json
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import threading
import time

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
COMMANDS = ["cargo test", "rm -rf / --no-preserve-root", "git push --force origin branch77"]


def dashed(digits):
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]])


def renamed(text, salt):
    """The same log with other ids, so that nobody takes one for a copy of the other."""
    return ID.sub(lambda found: dashed(hashlib.md5((salt + found.group(0)).encode()).hexdigest()), text).rstrip() + "\n"


def write_logs(home, sources, size):
    """Logs of that many bytes in all."""
    written = number = 0
    while written < size:
        text = renamed(sources[number % len(sources)], str(number))
        folder = home / ".claude/projects" / f"-home-u-p{number % 40}"
        folder.mkdir(parents=True, exist_ok=True)
        name = dashed(hashlib.md5(str(number).encode()).hexdigest())
        (folder / f"{name}.jsonl").write_text(text)
        written += len(text.encode())
        number += 1
    return number


def write_large(home, sources, size):
    """One log of that many bytes, and one session."""
    folder = home / ".claude/projects/-home-u-large"
    folder.mkdir(parents=True, exist_ok=True)
    session, written, number = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee", 0, 0
    with open(folder / f"{session}.jsonl", "w") as log:
        while written < size:
            for line in renamed(sources[number % len(sources)], f"large {number}").splitlines():
                record = json.loads(line)
                if "sessionId" in record:
                    record["sessionId"] = session
                written += log.write(json.dumps(record) + "\n")
            number += 1


def peak_of(process, peaks):
    """Follows the resident memory of a process, for what `getrusage` knows is the most of all children."""
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            peaks.append(int(re.search(r"VmHWM:\s+(\d+)", status).group(1)))
        except (OSError, AttributeError):
            pass
        time.sleep(0.005)


def run(command, home, vault, stdin=None):
    """CPU and wall time in seconds, peak memory in MB, and what was printed."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=vault, env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    peaks = [0]
    watch = threading.Thread(target=peak_of, args=(process, peaks))
    watch.start()
    out, err = process.communicate(stdin)
    wall = time.perf_counter() - begun
    watch.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if process.returncode not in (0, 5):
        raise SystemExit(f"{command} left with {process.returncode}: {err}")
    return cpu, wall, max(peaks) / 1000, out


def row(name, figures, runs=1):
    cpu, wall, peak, _ = figures
    print(f"| {name} | {cpu * 1000:,.0f} ms | {wall * 1000:,.0f} ms | {peak:,.0f} MB | {runs} |", flush=True)


def median(name, runs, once):
    all_runs = [once() for _ in range(runs)]
    middle = [statistics.median(figures[part] for figures in all_runs) for part in range(3)]
    row(name, (*middle, ""), runs)


def follow(home):
    """One more prompt in one log, and half a line, as an agent that is writing leaves it."""
    log = next(path for path in sorted(home.rglob("*.jsonl")) if "large" not in str(path))
    prompts = (json.loads(line) for line in log.read_text().splitlines() if '"type":"user"' in line)
    said = lambda prompt: not prompt.get("isMeta") and isinstance(prompt["message"].get("content"), str)
    record = next(prompt for prompt in prompts if said(prompt))
    record["uuid"] = dashed(hashlib.md5(str(time.time()).encode()).hexdigest())
    record["message"]["content"] = "a question about zanzibar"
    with open(log, "a") as file:
        file.write(json.dumps(record) + "\n" + '{"type":"user","mess')


def write_incidents(vault, count):
    folder = vault / "playbook/incidents"
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"i{number:04}.md").write_text(f"""---
id: b-mi{number:06}-ab{number:04}
type: anti_pattern
kind: anti_pattern
category: incidents
scope: global
state: active
created: 2026-10-01T00:00:00Z
updated: 2026-10-01T00:00:00Z
incident:
  class: force_push
  shape: "git push --force origin branch{number}"
  session: s{number}
  date: 2026-10-01
---

AVOID: force-pushing branch{number} without asking, it lost work of session {number}.
""")


def main():
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--cm", required=True)
    given.add_argument("--logs", required=True, type=pathlib.Path)
    given.add_argument("--megabytes", type=int, default=1000)
    given.add_argument("--large", type=int, default=250)
    given = given.parse_args()
    cm = str(pathlib.Path(given.cm).resolve())
    sources = [path.read_text(errors="replace") for path in sorted(given.logs.glob("*.jsonl"))]
    if not any(sources):
        raise SystemExit(f"sessions.py: {given.logs} has no logs (*.jsonl)")
    with tempfile.TemporaryDirectory() as folder:
        home, vault = pathlib.Path(folder) / "home", pathlib.Path(folder) / "vault"
        vault.mkdir()
        count = write_logs(home, sources, given.megabytes * 1_000_000)
        run([cm, "init", "."], home, vault)
        print(f"{count} logs of {given.megabytes} MB in all, then one of {given.large} MB\n")
        print("| work | CPU | wall | peak memory | runs |\n|---|---:|---:|---:|---:|")
        listing = [cm, "sessions", "--days", "0", "-n", "1"]
        row("read all", run(listing, home, vault))
        median("nothing new", 5, lambda: run(listing, home, vault))
        follow(home)
        found = run([cm, "sessions", "search", "zanzibar"], home, vault)
        if "zanzibar" not in found[3]:
            raise SystemExit("what was added to a log was not found")
        row("one log grew, with a search for it", found)
        search = [cm, "sessions", "search", "session branch upstream"]
        median("search, nothing new", 5, lambda: run(search, home, vault))
        write_large(home, sources, given.large * 1_000_000)
        row("one large log more", run(listing, home, vault))
        write_incidents(vault, 500)
        for command in COMMANDS:
            told = {"session_id": "s", "cwd": str(vault), "hook_event_name": "PreToolUse", "tool_name": "Bash",
                    "tool_input": {"command": command}}
            stdin = json.dumps(told)
            median(f"`cm guard`: {command}", 40, lambda: run([cm, "guard"], home, vault, stdin))


if __name__ == "__main__":
    main()
