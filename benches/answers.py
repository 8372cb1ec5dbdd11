#!/usr/bin/env python3
"""Measures the answers of the command line on labelled sets, as a user gets them: a fresh vault, one process a question.

    cargo build --release
    python3 benches/answers.py SET… [--cm target/release/cm] [--questions N]

SET is a folder with corpus.jsonl, queries.jsonl and qrels.tsv, as `cm-eval` reads them. Each document becomes one note.
All questions are asked before and after `cm embed`; a question with a date is asked on that day. The table has the same
figures as `cargo run --release --example cm-eval -- retrieval`, which asks within one process.
"""

import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

PAGE = 10


def lines(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def instant(date):
    """Reads dates such as 2023/03/15 (Mon) 03:53 and 2026-02-15T21:37:30."""
    numbers = [int(number) for number in re.findall(r"\d+", date or "")][:6]
    if len(numbers) < 3:
        return None
    year, month, day, hour, minute, second = numbers + [0] * (6 - len(numbers))
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"


def write_notes(folder, documents):
    names = {}
    for document in documents:
        path = os.path.join("notes", document["id"].replace("/", "_") + ".md")
        keys = {key: document[key] for key in ("title", "date", "role", "session") if document.get(key)}
        front = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in keys.items())
        heading = f"# {document['title']}\n\n" if document.get("title") else ""
        os.makedirs(os.path.join(folder, "notes"), exist_ok=True)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(f"---\n{front}---\n\n{heading}{document['text']}\n")
        names[path] = document["id"]
    return names


def figures(found, wanted):
    """Recall@5, recall@10, nDCG@10 and reciprocal rank of one question; gains are 2^degree - 1."""
    gains = [2 ** wanted.get(document, 0) - 1 for document in found]
    best = sorted((2**degree - 1 for degree in wanted.values()), reverse=True)[:PAGE]
    discounted = lambda gains: sum(gain / math.log2(at + 2) for at, gain in enumerate(gains))
    recall = lambda depth: sum(gain > 0 for gain in gains[:depth]) / len(wanted)
    first = next((1 / (at + 1) for at, gain in enumerate(gains) if gain), 0.0)
    return recall(5), recall(10), discounted(gains[:PAGE]) / discounted(best), first


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--cm", default="target/release/cm")
    parser.add_argument("--questions", type=int, help="number of questions of each set, spread evenly")
    given = parser.parse_args()
    program = os.path.abspath(given.cm)
    print("| set | questions | | R@5 | R@10 | nDCG@10 | MRR | ms a question |\n|---|---:|---|---:|---:|---:|---:|---:|")
    for folder in given.sets:
        measure(program, folder.rstrip("/"), given.questions)


def measure(program, folder, most):
    wanted = collections.defaultdict(dict)
    with open(os.path.join(folder, "qrels.tsv"), encoding="utf-8") as file:
        for line in list(file)[1:]:
            question, document, degree = line.split()
            wanted[question][document] = int(degree)
    documents = lines(folder, "corpus.jsonl")
    questions = [question for question in lines(folder, "queries.jsonl") if question["id"] in wanted]
    if most and most < len(questions):
        questions = [questions[at * len(questions) // most] for at in range(most)]
    with tempfile.TemporaryDirectory() as home:
        vault = os.path.join(home, "vault")
        environment = {"PATH": os.environ["PATH"], "HOME": home, "CM_EMBEDDINGS_BUDGET_MS": "0"}
        for name, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org")):
            environment |= {f"GIT_AUTHOR_{name}": value, f"GIT_COMMITTER_{name}": value}

        def cm(*arguments, now=None):
            call = [program, "--vault", vault, *arguments]
            variables = environment | ({"CM_NOW": now} if now else {})
            done = subprocess.run(call, env=variables, cwd=home, capture_output=True, text=True)
            # 1: nothing was found.
            if done.returncode not in (0, 1):
                sys.exit(f"{' '.join(call)}: {done.stderr}")
            return done.stdout

        subprocess.run([program, "init", vault], env=environment, cwd=home, check=True, capture_output=True)
        names = write_notes(vault, documents)
        cm("commit")
        cm("reindex")
        for stage in ("before", "after"):
            if stage == "after":
                cm("embed")
            rows, began = [], time.monotonic()
            for question in questions:
                hits = cm("search", "--json", "--limit", str(PAGE), "--", question["text"], now=instant(question.get("date")))
                found = [names.get(hit["path"], hit["path"]) for hit in json.loads(hits)["hits"]] if hits else []
                rows.append(figures(found, wanted[question["id"]]))
            cost = 1000 * (time.monotonic() - began) / len(questions)
            means = " | ".join(f"{sum(column) / len(rows):.3f}" for column in zip(*rows))
            print(f"| {os.path.basename(folder)} | {len(rows)} | {stage} `cm embed` | {means} | {cost:.0f} |", flush=True)


if __name__ == "__main__":
    main()
