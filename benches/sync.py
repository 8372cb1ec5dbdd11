#!/usr/bin/env python3
"""Measures `cm sync` beside `git pull && git push`, and the merge driver as a whole process.

    sync.py NOTES [--cm FILE] [--changed 1000] [--runs 5]

NOTES is a folder with the notes of a vault; they are copied. Two clones change `--changed` notes each: half of them the
same notes (a tag and a paragraph each), half other ones. Prints wall times in milliseconds: the transfers alone (`git fetch`,
`git push` of the same commits), the merging synchronization, and one with nothing to do.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("notes")
    options.add_argument("--cm", default="target/release/cm")
    options.add_argument("--changed", type=int, default=1000)
    options.add_argument("--runs", type=int, default=5)
    given = options.parse_args()
    cm = os.path.abspath(given.cm)
    work = pathlib.Path(tempfile.mkdtemp(prefix="cm-sync-"))
    home = work / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}

    def run(folder, *words):
        begun = time.perf_counter()
        ran = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
        took = (time.perf_counter() - begun) * 1000
        if ran.returncode != 0:
            raise SystemExit(f"{words} failed in {folder}:\n{ran.stdout}{ran.stderr}")
        return took

    remote, one, two = work / "remote.git", work / "one", work / "two"
    run(work, "git", "init", "--quiet", "--bare", str(remote))
    shutil.copytree(given.notes, one, ignore=shutil.ignore_patterns(".git", "_index", "_state", "_embeddings"))
    run(one, cm, "init", ".")
    run(one, "git", "add", "--all")
    run(one, "git", "commit", "--quiet", "--message", "Notes")
    run(one, "git", "remote", "add", "origin", str(remote))
    run(one, cm, "sync")
    run(work, "git", "clone", "--quiet", str(remote), str(two))
    for clone in (one, two):
        run(clone, cm, "reindex")
    files = sorted(file.relative_to(one) for file in (one / "graph").rglob("*.md"))
    files = [file for file in files if b"\ntags:\n  - " in (one / file).read_bytes()]
    half = given.changed // 2

    def change(clone, chosen, word):
        for file in chosen:
            path = clone / file
            text = path.read_text()
            text = text.replace("\ntags:\n", f"\ntags:\n  - {word}\n", 1) + f"\nSeen by {word}.\n"
            path.write_text(text)
        run(clone, cm, "commit", "--quiet")

    figures = {"idle": [], "idle git": [], "fetch": [], "push": [], "send": [], "merge": [], "driver": []}
    for number in range(given.runs):
        at = number * 3 * half
        both, first, second = files[at:at + half], files[at + half:at + 2 * half], files[at + 2 * half:at + 3 * half]
        change(one, both + first, f"one{number}")
        change(two, both + second, f"two{number}")
        # Git's own transport of the same commits, to a second remote.
        other = work / f"other{number}.git"
        shutil.copytree(remote, other)
        figures["push"].append(run(one, "git", "push", "--quiet", str(other), "main"))
        figures["send"].append(run(one, cm, "sync"))
        figures["fetch"].append(run(two, "git", "fetch", "--quiet", str(other), "main:refs/other/main"))
        figures["merge"].append(run(two, cm, "sync"))
        run(one, cm, "sync")
        figures["idle"].append(run(one, cm, "sync"))
        begun = time.perf_counter()
        run(one, "git", "pull", "--quiet", "--ff-only", "origin", "main")
        run(one, "git", "push", "--quiet", "origin", "main")
        figures["idle git"].append((time.perf_counter() - begun) * 1000)
        base, ours, theirs = (work / name for name in ("base.md", "ours.md", "theirs.md"))
        text = (two / both[0]).read_text()
        base.write_text(text)
        theirs.write_text(text.replace("\ntags:\n", "\ntags:\n  - theirs\n", 1) + "\nTheirs.\n")
        for _ in range(20):
            ours.write_text(text.replace("\ntags:\n", "\ntags:\n  - ours\n", 1))
            figures["driver"].append(run(two, cm, "merge-driver", str(base), str(ours), str(theirs), str(both[0])))
    for name, values in figures.items():
        print(f"{name:10} median {statistics.median(values):8.1f} ms   least {min(values):8.1f}   most {max(values):8.1f}")
    shutil.rmtree(work)


main()
