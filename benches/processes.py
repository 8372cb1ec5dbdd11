#!/usr/bin/env python3
"""Measures whole processes: CPU time (user and system), wall time and peak memory of `cm` on generated vaults.

    cargo build --release
    python3 benches/processes.py --genvault PATH/genvault.py --sizes 1000,10000 --runs 7 > table.md

The script that makes the vaults is called as `genvault.py N OUTDIR --sharded`. Each vault becomes one by `cm init`, and its
notes are committed. Then every piece of work runs once to warm up and --runs times in rounds (one of each, so that a slow
minute hits all alike); the table shows medians, beside git's own commands and ripgrep on the same files. What a
piece of work leaves behind is settled by an unmeasured `cm reindex`.

It needs python3 and git, nothing else. It exits 1 where a piece of work failed, and says why below the table.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

NOW = "2026-11-21T12:00:00Z"
GITCONFIG = """[user]
	name = Ada Example
	email = ada@example.org
[init]
	defaultBranch = main
"""
# Seconds after which a process counts as hung.
LONGEST = 600


class Failed(Exception):
    """A command that had to work did not."""


class Cost:
    """What processes cost: CPU and wall in milliseconds, peak memory in megabytes."""

    def __init__(self, cpu=0.0, wall=0.0, peak=0.0):
        self.cpu, self.wall, self.peak = cpu, wall, peak

    def __add__(self, other):
        return Cost(self.cpu + other.cpu, self.wall + other.wall, max(self.peak, other.peak))

    @staticmethod
    def median(costs):
        def middle(of):
            return statistics.median(of(cost) for cost in costs)
        return Cost(middle(lambda c: c.cpu), middle(lambda c: c.wall), middle(lambda c: c.peak))


def run(command, cwd, env, accepted=(0,)):
    """Runs a command to its end; what it and the processes that it waited for cost."""
    with tempfile.TemporaryFile() as errors:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        watch = threading.Timer(LONGEST, process.kill)
        watch.start()
        _, status, used = os.wait4(process.pid, 0)
        watch.cancel()
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accepted:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines()
            shown = " ".join(os.path.basename(command[0]).split() + command[1:4])
            raise Failed(f"`{shown}` ended with {process.returncode}: {said[0] if said else 'and said nothing'}")
    # The unit of ru_maxrss is a kilobyte, on macOS a byte.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Cost((used.ru_utime + used.ru_stime) * 1e3, wall * 1e3, used.ru_maxrss / unit)


class Work:
    """One row of the table: commands that are measured together, and what is done before without being measured."""

    def __init__(self, name, commands, before=None, after=None, accepted=(0,)):
        self.name, self.before, self.after, self.accepted = name, before, after, accepted
        # Commands, or a function that makes them for the n-th run.
        self.commands = commands if callable(commands) else lambda _: commands
        self.costs, self.failure = [], None

    def once(self, vault, number, count):
        if self.failure:
            return
        try:
            if self.before:
                self.before(number)
            cost = Cost()
            for command in self.commands(number):
                cost += run(command, vault.folder, vault.env, self.accepted)
            if count:
                self.costs.append(cost)
        except (Failed, OSError) as failure:
            self.failure = str(failure)
        try:
            if self.after:
                self.after()
        except (Failed, OSError) as failure:
            self.failure = self.failure or f"afterwards: {failure}"


class Vault:
    """A generated vault of so many notes, in its own repository."""

    def __init__(self, size, folder, cm, env):
        self.size, self.folder, self.cm_path, self.env = size, folder, cm, env
        self.notes = []

    def cm(self, *words):
        return [self.cm_path, *words]

    def settle(self):
        run(self.cm("reindex"), self.folder, self.env)

    def make(self, genvault, seconds):
        subprocess.run([sys.executable, genvault, str(self.size), self.folder, "--sharded"],
                       check=True, stdin=subprocess.DEVNULL, timeout=seconds)
        run(self.cm("init"), self.folder, self.env)
        run(["git", "add", "--all"], self.folder, self.env)
        run(["git", "commit", "--quiet", "--message", "Generate"], self.folder, self.env)
        self.find_notes()
        if not self.notes:
            raise Failed(f"{genvault} made no note")

    def find_notes(self):
        for folder, _, files in os.walk(self.folder):
            if not any(part in (".git", "_index", "_state") for part in os.path.relpath(folder, self.folder).split(os.sep)):
                self.notes += [os.path.join(folder, file) for file in files if file.endswith(".md")]
        self.notes.sort()

    def note(self, number):
        """A note for the n-th run, far from the one before."""
        return self.notes[(number * 7919 + 13) % len(self.notes)]

    def note_id(self, number):
        with open(self.note(number), encoding="utf8") as file:
            for line in file:
                if line.startswith("id:"):
                    return line.split(":", 1)[1].strip().strip("\"'")
        raise Failed(f"{self.note(number)} has no id")

    def edit(self, number):
        """Does what a person does in an editor: one line more."""
        with open(self.note(number), "a", encoding="utf8") as file:
            file.write(f"\nChanged by hand, {number}.\n")

    def commit_by_hand(self):
        """Commits what `edit` left, so that the next run begins clean."""
        run(["git", "commit", "--quiet", "--all", "--message", "Edit"], self.folder, self.env, (0, 1))

    def text_bytes(self):
        return sum(os.path.getsize(note) for note in self.notes)

    def index_bytes(self):
        total = 0
        for folder, _, files in os.walk(os.path.join(self.folder, "_index")):
            total += sum(os.path.getsize(os.path.join(folder, file)) for file in files)
        return total


def works_of(vault, word):
    """All rows, in order."""
    cm = vault.cm

    def edited():
        vault.commit_by_hand()
        vault.settle()

    def by_hand(number):
        path = os.path.relpath(vault.note(number), vault.folder)
        return [["git", "add", "--", path], ["git", "commit", "--quiet", "--message", "Edit", "--", path]]

    def add(number):
        return [cm("add", "--type", "fix", "--title", f"Measured note {number}", "--tags", "bench,measure",
                   "--body", "The pool was empty because nobody returned connections. " * 20)]

    rows = [
        Work("reindex --full", [cm("reindex", "--full")]),
        Work("reindex, nothing changed", [cm("reindex")]),
        Work("reindex, one note changed", [cm("reindex")], before=vault.edit, after=vault.commit_by_hand),
        Work("search, fresh", [cm("search", word)]),
        Work("search --no-refresh --no-vectors", [cm("search", word, "--no-refresh", "--no-vectors")]),
        Work("search --no-refresh", [cm("search", word, "--no-refresh")]),
        Work("add, commit included", add, after=vault.settle),
        Work("get, by id", lambda number: [cm("get", vault.note_id(number))]),
        Work("core", [cm("core")], after=vault.settle),
        Work("reflection", [cm("reflection")], after=vault.settle),
        # Generated notes may have errors; finding them is the work.
        Work("validate", [cm("validate")], accepted=(0, 1)),
        Work("stats", [cm("stats")]),
        Work("get --no-refresh", lambda number: [cm("get", vault.note_id(number), "--no-refresh")]),
        Work("related --no-refresh", lambda number: [cm("related", vault.note_id(number), "--no-refresh")]),
        *[Work(f"{name} --no-refresh", [cm(*name.split(), "--no-refresh")], accepted=(0, 1))
          for name in ["core --print", "reflection --print", "validate", "stats", "decay", "review"]],
        Work("git status", [["git", "status", "--porcelain"]]),
        Work("git add, git commit of one note", by_hand, before=vault.edit, after=edited),
        Work("cm --version", [cm("--version")]),
    ]
    ripgrep = shutil.which("rg", path=vault.env["PATH"])
    if ripgrep:
        # ripgrep exits 1 where it finds nothing.
        rows.insert(-3, Work(f"rg -c {word}", [[ripgrep, "-c", word, "."]], accepted=(0, 1)))
    return rows


def measure(vault, args):
    """Runs all rows in rounds; the first round warms up."""
    works = works_of(vault, args.word)
    if args.only:
        wanted = args.only.split(",")
        works = [work for work in works if any(part in work.name for part in wanted)]
    vault.settle()
    for number in range(args.runs + 1):
        for work in works:
            work.once(vault, number, count=number > 0)
        print(f"{vault.size} notes: round {number} of {args.runs}", file=sys.stderr)
    return works


def number(value):
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def table(vault, works, floor):
    text, index = vault.text_bytes(), vault.index_bytes()
    print(f"\n### {vault.size:,} notes, {text / 1e6:.1f} MB of text\n")
    ratio = f", {index / text:.2f} times the text" if text else ""
    print(f"`_index/`: {index / 1e6:.1f} MB{ratio}.\n")
    print("| work | CPU ms | wall ms | peak MB |\n|---|---:|---:|---:|")
    for work in works:
        if work.costs:
            cost = Cost.median(work.costs)
            peak = number(cost.peak) if cost.peak > floor * 1.05 else f"≤ {number(floor)}"
            print(f"| {work.name} | {number(cost.cpu)} | {number(cost.wall)} | {peak} |")
        else:
            print(f"| {work.name} | – | – | – |")
    for work in works:
        if work.failure:
            print(f"\nfailed: {work.name}: {work.failure}")
    return not any(work.failure for work in works)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--genvault", required=True, help="script: N OUTDIR --sharded")
    parser.add_argument("--cm", default="target/release/cm", help="the binary [target/release/cm]")
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of notes [1000,10000,100000]")
    parser.add_argument("--runs", type=int, default=7, help="measured runs of each row [7]")
    parser.add_argument("--word", default="cache", help="what is searched for [cache]")
    parser.add_argument("--only", help="rows whose names contain one of these, by commas")
    parser.add_argument("--work", help="make the vaults below this folder, and keep them")
    args = parser.parse_args()
    args.cm, args.genvault = os.path.abspath(args.cm), os.path.abspath(args.genvault)
    try:
        args.sizes = [int(size) for size in args.sizes.split(",")]
    except ValueError:
        parser.error("--sizes takes numbers, separated by commas")
    if args.runs < 1 or min(args.sizes) < 1:
        parser.error("--runs and --sizes are at least 1")
    for path in (args.cm, args.genvault):
        if not os.path.isfile(path):
            parser.error(f"there is no file {path}")
    if not os.access(args.cm, os.X_OK):
        parser.error(f"{args.cm} cannot be run")
    return args


def environment(work):
    """Nothing of the person's: an own home, git without a configuration from outside, a fixed clock."""
    config = os.path.join(work, "gitconfig")
    with open(config, "w", encoding="utf8") as file:
        file.write(GITCONFIG)
    return {
        "PATH": os.environ.get("PATH", os.defpath), "HOME": work, "TMPDIR": work, "LANG": "C.UTF-8", "TERM": "dumb",
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": config,
        "CM_NOW": NOW, "CM_GLOBAL_VAULT": os.path.join(work, "no-global-vault"),
        **{name: os.environ[name] for name in ["CM_EMBEDDINGS_BUDGET_MS"] if name in os.environ},
    }


def main():
    args = arguments()
    work = os.path.abspath(args.work) if args.work else tempfile.mkdtemp(prefix="cm-processes-")
    os.makedirs(work, exist_ok=True)
    env, sound = environment(work), True
    try:
        true = shutil.which("true", path=env["PATH"])
        # A process inherits this script's own peak when it is started, so smaller ones cannot be told apart.
        floor = run([true], work, env).peak if true else 0.0
        size = os.path.getsize(args.cm)
        print(f"`python3 benches/processes.py --sizes {','.join(map(str, args.sizes))} --runs {args.runs}`: medians of "
              f"{args.runs} runs after one to warm up, {os.cpu_count()} cores. The binary has {size / 1e6:.1f} MB.")
        for size in args.sizes:
            folder = os.path.join(work, f"vault-{size}")
            if os.path.exists(folder):
                raise Failed(f"{folder} is there already: remove it, or name another --work")
            vault = Vault(size, folder, args.cm, env)
            # A generator that hangs is a failure; a slow one is not: a tenth of a second a note, and a minute.
            vault.make(args.genvault, 60 + size / 10)
            sound &= table(vault, measure(vault, args), floor)
            sys.stdout.flush()
            if not args.work:
                shutil.rmtree(folder, ignore_errors=True)
    except (Failed, subprocess.SubprocessError, OSError) as failure:
        print(f"processes.py: {failure}", file=sys.stderr)
        sound = False
    finally:
        if not args.work:
            shutil.rmtree(work, ignore_errors=True)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
