#!/usr/bin/env python3
"""Measures what an agent waits for with `cm mcp` on a generated vault: the first answer, and searches in a session that goes on.

    cargo build --release
    python3 benches/mcp.py --genvault PATH/genvault.py --size 10000 --runs 21 --searches 500

The vault is made as in processes.py, and reindexed. Queries are three words of its notes' titles each, none twice; the first 50 of a
session warm up and are not counted. It needs python3 and git, nothing else.
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

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "benches", "version": "1"}}
WARMING = 50


class Agent:
    """An agent that has started the program; it asks one thing after the other."""

    def __init__(self, vault):
        self.begun = time.perf_counter()
        self.program = subprocess.Popen(vault.cm("mcp"), cwd=vault.folder, env=vault.env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.last = 0

    def ask(self, method, params):
        """The result, and the line that it stood in."""
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.program.stdin.write(json.dumps(message) + "\n")
        self.program.stdin.flush()
        for line in self.program.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.last:
                if "error" in answer or answer["result"].get("isError"):
                    raise Failed(f"{method}: {line.strip()}")
                return answer["result"], line
        raise Failed("the program ended")

    def memory(self):
        """What it holds of memory, in MB."""
        with open(f"/proc/{self.program.pid}/status", encoding="utf8") as file:
            return next(int(line.split()[1]) / 1000 for line in file if line.startswith("VmHWM"))

    def leave(self):
        self.program.stdin.close()
        self.program.stdout.close()
        if self.program.wait() != 0:
            raise Failed("the program did not end well")


def row(name, times):
    walls = sorted(second * 1e3 for second in times)
    print(f"| {name} | {number(statistics.median(walls))} | {number(walls[len(walls) * 95 // 100])} | {number(walls[-1])} |")


def titles(vault):
    for path in vault.notes:
        with open(path, encoding="utf8") as file:
            for line in file:
                if line.startswith("title:"):
                    yield line[6:]
                    break


def searches(vault, queries):
    """How long each took in one session, and how much memory that had."""
    agent, times = Agent(vault), []
    agent.ask("initialize", HELLO)
    for query in queries:
        begun = time.perf_counter()
        agent.ask("tools/call", {"name": "memory_search", "arguments": {"query": query}})
        times.append(time.perf_counter() - begun)
    memory = agent.memory()
    agent.leave()
    return times[WARMING:], memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--genvault", required=True, help="script: N OUTDIR --sharded")
    parser.add_argument("--cm", default="target/release/cm", help="the binary [target/release/cm]")
    parser.add_argument("--size", type=int, default=10_000, help="notes [10000]")
    parser.add_argument("--runs", type=int, default=21, help="starts [21]")
    parser.add_argument("--searches", type=int, default=500, help="searches [500]")
    args = parser.parse_args()
    work = tempfile.mkdtemp(prefix="cm-mcp-")
    try:
        vault = Vault(args.size, os.path.join(work, "vault"), os.path.abspath(args.cm), environment(work))
        vault.make(os.path.abspath(args.genvault), 60 + args.size / 10)
        run(vault.cm("reindex"), vault.folder, vault.env)
        first = []
        for _ in range(args.runs):
            agent = Agent(vault)
            agent.ask("initialize", HELLO)
            first.append(time.perf_counter() - agent.begun)
            listed = len(agent.ask("tools/list", {})[1].encode())
            agent.leave()
        draw = random.Random(7)
        words = sorted({word for title in titles(vault) for word in title.split() if word.isalpha() and len(word) > 3})
        queries = [" ".join(draw.sample(words, 3)) for _ in range(WARMING + args.searches)]
        times, memory = searches(vault, queries)
        print("| wall ms | median | 95 % within | worst |\n|---|---:|---:|---:|")
        row("first answer of a new process", first)
        row("search", times)
        print(f"\ntools/list takes {listed:,} bytes with its envelope; memory at most {memory:.0f} MB")
    except (Failed, subprocess.SubprocessError, OSError) as failure:
        print(f"mcp.py: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
