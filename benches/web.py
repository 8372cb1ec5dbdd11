#!/usr/bin/env python3
"""Measures the page of `cm web` on a generated vault: the time to each page as a browser waits for it, and its size.

    cargo build --release
    python3 benches/web.py --genvault PATH/genvault.py --sizes 10000,100000 --runs 41

The vault is made as in processes.py, with one rule for every fifty notes (bullets.py writes them). Pages are asked for in rounds, one
of each, so that a slow minute hits all alike; the first round warms up and is not counted, but its slowest page is shown. Between two
rounds a note is changed by hand (--edits), or the server rests for longer than it trusts its watch of the folders (--rest). The times are
of whole answers over loopback. It needs python3 and git, nothing else. With --work the vaults are kept and used again.
"""

import argparse
import gzip
import http.client
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

from bullets import CATEGORIES, bullet
from processes import Failed, Vault, environment, number, run

# Seconds after which a page counts as hung.
LONGEST = 120


class Page:
    """One row of the table: an address for the n-th round, and what was measured."""

    def __init__(self, name, address, script=False):
        self.name, self.address, self.script = name, address, script
        self.times, self.size, self.packed, self.first, self.cpu = [], 0, 0, 0.0, 0.0


class Browser:
    """A client that has logged in with the link."""

    def __init__(self, vault):
        self.server = subprocess.Popen(
            vault.cm("web", "--no-open", "--json"), cwd=vault.folder, env=vault.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        link, text = None, ""
        while link is None:
            line = self.server.stdout.readline()
            if not line:
                raise Failed(f"`cm web` printed no link: {text}")
            text += line
            try:
                link = json.loads(text)["link"]
            except ValueError:
                continue
        link = urllib.parse.urlsplit(link)
        self.host, self.port = link.netloc, link.port
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        self.cookie = None
        answer, _ = self.ask(f"{link.path}?{link.query}")
        self.cookie = answer.getheader("set-cookie", "").split(";")[0]

    def ask(self, address, script=False):
        headers = {"Host": self.host, "Accept": "text/html"}
        headers.update({"Cookie": self.cookie} if self.cookie else {})
        headers.update({"HX-Request": "true"} if script else {})
        self.connection.request("GET", address, headers=headers)
        answer = self.connection.getresponse()
        return answer, answer.read()

    def load(self, page, turn, count):
        address = page.address(turn)
        used, begun = self.cpu(), time.perf_counter()
        answer, body = self.ask(address, page.script)
        took = (time.perf_counter() - begun) * 1e3
        if answer.status != 200:
            raise Failed(f"{address} answered {answer.status}")
        page.size = len(body)
        page.packed = len(body) if answer.getheader("content-encoding") else len(gzip.compress(body, 6))
        if count:
            page.times.append(took)
            page.cpu += self.cpu() - used
        else:
            page.first = took

    def cpu(self):
        """Processor time of the server so far, in ms; its unit is a tick of 10 ms, so that only sums say something."""
        if not sys.platform.startswith("linux"):
            return 0.0
        with open(f"/proc/{self.server.pid}/stat", encoding="utf8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1e3 / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """What the server holds and held at most, in MB."""
        if not sys.platform.startswith("linux"):
            return None
        with open(f"/proc/{self.server.pid}/status", encoding="utf8") as file:
            fields = dict(line.split(":", 1) for line in file)
        return [int(fields[name].split()[0]) / 1000 for name in ("VmRSS", "VmHWM")]

    def leave(self):
        self.connection.close()
        self.server.terminate()
        self.server.wait(30)
        self.server.stdout.close()


def make(vault, genvault):
    """The generated notes, and rules beside them."""
    rng = random.Random(vault.size)
    for at in range(max(1, vault.size // 50)):
        path = os.path.join(vault.folder, "playbook", CATEGORIES[at % len(CATEGORIES)], f"rule-{at:06d}.md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf8") as file:
            file.write(bullet(rng, at))
    vault.make(genvault, 60 + vault.size / 10)
    # CORE.md and a history of changes, as in a vault that is used.
    run(vault.cm("core"), vault.folder, vault.env)
    for at in range(60):
        run(vault.cm("mark", f"b-mt2ssunl-{at % max(1, vault.size // 50):06d}", "--helpful"), vault.folder, vault.env, (0, 1, 2, 3, 4, 5, 6))
    vault.settle()


def words_of(vault):
    """Words of titles, for queries."""
    words = set()
    for path in vault.notes[:2000]:
        with open(path, encoding="utf8") as file:
            title = next((line[6:] for line in file if line.startswith("title:")), "")
        words.update(word for word in title.split() if word.isalpha() and len(word) > 3)
    return sorted(words)


def pages_of(vault):
    """All rows, in order."""
    words, draw = words_of(vault), random.Random(7)
    notes = [path for path in vault.notes if "/graph/" in path]

    def note(turn, root="note"):
        path = notes[(turn * 7919 + 13) % len(notes)]
        with open(path, encoding="utf8") as file:
            found = next(line.split(":", 1)[1].strip() for line in file if line.startswith("id:"))
        return f"/{root}/{found}"

    def query(most):
        def address(_):
            return "/search?q=" + urllib.parse.quote(" ".join(draw.sample(words, draw.randint(1, most))))
        return address

    def typed(_):
        """A word of which so much is typed."""
        word = draw.choice(words)
        return "/search?q=" + urllib.parse.quote(word[:draw.randint(2, len(word))])

    def fixed(address):
        return lambda _: address

    return [
        Page("home", fixed("/")),
        Page("home, what waits", fixed("/?waiting=1"), script=True),
        Page("learned this week", fixed("/learned"), script=True),
        Page("note with local graph", note),
        Page("commits of a note", lambda turn: note(turn, "history") + "?commits=1", script=True),
        Page("rule", lambda turn: f"/note/b-mt2ssunl-{turn % max(1, vault.size // 50):06d}"),
        Page("search", query(3)),
        Page("results while typing", typed, script=True),
        Page("playbook", fixed("/playbook")),
        Page("inbox", fixed("/review")),
        Page("sessions", fixed("/sessions")),
        Page("map, with its table", fixed("/graph")),
        Page("map, data", fixed("/graph/map.bin")),
        Page("map, neighbours of a note", lambda turn: note(turn, "graph/near")),
        Page("contradictions", fixed("/conflicts")),
        Page("stale", fixed("/stale")),
        Page("log", fixed("/log")),
        Page("history of a note", lambda turn: note(turn, "history")),
        Page("checks", fixed("/checks")),
        Page("checks, results", fixed("/checks?run=1"), script=True),
        Page("CORE.md", fixed("/core")),
    ]


def measure(vault, args):
    pages = pages_of(vault)
    if args.only:
        wanted = args.only.split(",")
        pages = [page for page in pages if any(part in page.name for part in wanted)]
    browser = Browser(vault)
    try:
        for turn in range(args.runs + 1):
            for page in list(pages):
                try:
                    browser.load(page, turn, count=turn > 0)
                except Failed as failure:
                    print(f"{vault.size} notes: {page.name}: {failure}", file=sys.stderr)
                    pages.remove(page)
                if args.rest:
                    time.sleep(args.rest)
            if args.edits:
                vault.edit(turn)
                # Pages are told of a change after 200 ms; then people look.
                time.sleep(0.4)
        memory = browser.memory()
    finally:
        browser.leave()
        vault.commit_by_hand()
    return pages, memory


def table(vault, pages, memory):
    print(f"\n### {vault.size:,} notes and {max(1, vault.size // 50):,} rules\n")
    print("| page | CPU ms, mean | median ms | 95 % within | worst | first | kB | kB compressed |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    for page in pages:
        times = sorted(page.times)
        shown = [page.cpu / len(times), statistics.median(times), times[len(times) * 95 // 100], times[-1], page.first, page.size / 1e3, page.packed / 1e3]
        print(f"| {page.name} | {' | '.join(number(value) for value in shown)} |")
    if memory:
        print(f"\nMemory of the server: {memory[0]:,.0f} MB at the end, {memory[1]:,.0f} MB at most.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--genvault", required=True, help="script: N OUTDIR --sharded")
    parser.add_argument("--cm", default="target/release/cm", help="the binary [target/release/cm]")
    parser.add_argument("--sizes", default="10000,100000", help="numbers of notes [10000,100000]")
    parser.add_argument("--runs", type=int, default=41, help="measured rounds [41]")
    parser.add_argument("--edits", action="store_true", help="change a note by hand after each round")
    parser.add_argument("--rest", type=float, default=0, help="seconds of rest before each page [0]")
    parser.add_argument("--only", help="rows whose names contain one of these, by commas")
    parser.add_argument("--work", help="make the vaults below this folder, and keep them for the next time")
    args = parser.parse_args()
    work = os.path.abspath(args.work) if args.work else tempfile.mkdtemp(prefix="cm-web-")
    os.makedirs(work, exist_ok=True)
    try:
        for size in [int(size) for size in args.sizes.split(",")]:
            folder = os.path.join(work, f"vault-{size}")
            vault = Vault(size, folder, os.path.abspath(args.cm), environment(work))
            if os.path.exists(folder):
                vault.find_notes()
                vault.settle()
            else:
                make(vault, os.path.abspath(args.genvault))
            table(vault, *measure(vault, args))
            sys.stdout.flush()
    except (Failed, subprocess.SubprocessError, OSError) as failure:
        print(f"web.py: {failure}", file=sys.stderr)
        return 1
    finally:
        if not args.work:
            shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
