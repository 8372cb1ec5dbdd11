#!/usr/bin/env python3
"""Counts how often a briefing shows the right past session, before and after `cm reflect`.

    history.py SET [--cm FILE] [--queries 60]

SET is a folder with corpus.jsonl (id, text: the prompts of a session, separated by lines of `---`, date), queries.jsonl
(id, text) and qrels.tsv (query, session, score). Each session is written as a log of Claude Code into a home folder of its
own. `--queries` takes that many queries, spread evenly.
"""
import argparse
import datetime
import json
import os
import subprocess
import tempfile
import uuid

NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
REPOSITORY = "project"


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def relevant(path):
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in list(file)[1:]:
            query, session, score = line.split("\t")
            if float(score) > 0:
                found.setdefault(query, set()).add(session)
    return found


def write_log(folder, session, cwd):
    """Writes the prompts of one session, a minute apart; returns the id of the session."""
    name = str(uuid.uuid5(NAMESPACE, session["id"]))
    at = datetime.datetime.fromisoformat(session["date"])
    with open(os.path.join(folder, name + ".jsonl"), "w", encoding="utf-8") as file:
        for number, prompt in enumerate(session["text"].split("\n\n---\n\n")):
            stamp = (at + datetime.timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            record = {"type": "user", "sessionId": name, "cwd": cwd, "timestamp": stamp, "version": "2.0.0",
                      "uuid": str(uuid.uuid5(NAMESPACE, f"{name}/{number}")), "isSidechain": False,
                      "message": {"role": "user", "content": prompt}}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set")
    parser.add_argument("--cm", default="target/release/cm")
    parser.add_argument("--queries", type=int, default=60)
    options = parser.parse_args()
    cm = os.path.abspath(options.cm)

    right = relevant(os.path.join(options.set, "qrels.tsv"))
    asked = [query for query in lines(os.path.join(options.set, "queries.jsonl")) if query["id"] in right]
    step = max(1, len(asked) / options.queries)
    asked = [asked[int(number * step)] for number in range(min(options.queries, len(asked)))]
    sessions = lines(os.path.join(options.set, "corpus.jsonl"))

    with tempfile.TemporaryDirectory() as root:
        home, repository = os.path.join(root, "home"), os.path.join(root, REPOSITORY)
        slug = repository.replace("/", "-").replace(".", "-")
        logs = os.path.join(home, ".claude", "projects", slug)
        os.makedirs(logs)
        os.makedirs(repository)
        ids = {session["id"]: write_log(logs, session, repository) for session in sessions}
        now = max(session["date"] for session in sessions)[:10]
        now = (datetime.date.fromisoformat(now) + datetime.timedelta(days=1)).isoformat()
        environment = {"PATH": os.environ["PATH"], "HOME": home, "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
                       "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org", "CM_NOW": now}

        def run(*arguments):
            ran = subprocess.run([cm, *arguments], cwd=repository, env=environment, capture_output=True, text=True)
            if ran.returncode not in (0, 8):
                raise SystemExit(f"{' '.join(arguments)}: {ran.returncode}\n{ran.stderr or ran.stdout}")
            return ran.stdout

        subprocess.run(["git", "init", "--quiet", repository], check=True)
        run("init", ".memory")
        print(f"{len(sessions)} sessions, {len(asked)} queries")
        for state, command in (("logs only", ("sessions", "--json")), ("after reflect", ("reflect", "--days", "3650", "--json"))):
            run(*command)
            shown, first, tokens = 0, 0, 0
            for query in asked:
                briefing = json.loads(run("context", query["text"], "--json"))
                wanted = {ids[session] for session in right[query["id"]] if session in ids}
                history = [entry["session"] for entry in briefing.get("history") or []]
                shown += bool(wanted & set(history))
                first += bool(history and history[0] in wanted)
                tokens += briefing["tokens"]
            print(f"{state}: right session shown {shown} of {len(asked)}, first {first}; {tokens // len(asked)} tokens a briefing")


if __name__ == "__main__":
    main()
