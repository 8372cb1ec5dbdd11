#!/usr/bin/env python3
"""Measures servers that share a vault through one remote: each write at one is to be read at all others.

    cargo build --release
    python3 benches/replicas.py [--cm target/release/cm] [--servers 3] [--interval 2s] [--writers 8] [--readers 24]
                                [--seconds 60]

Each server has its own clone of the example vault, and synchronizes it at the interval. Writers and readers are spread
evenly over the servers. One write of each writer in twenty is watched: it is stale at another server until a search there
finds it. Afterwards the servers end by SIGTERM, the clones synchronize once more, and all must be equal, sound, and have
every write that was acknowledged.
"""

import argparse
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

WATCHED = 20
LONGEST = 120


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    def __init__(self, program, folder, environment):
        self.program, self.folder, self.environment, self.port = program, folder, environment, free_port()

    def cm(self, *arguments):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"cm {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def token(self, name):
        return next(word for word in self.cm("token", "add", name, "--role", "writer").split() if word.startswith("cm_"))

    def start(self, interval):
        call = [self.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--sync", interval]
        self.log = open(self.folder + ".log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(call, cwd=self.folder, env=self.environment, stdout=self.log, stderr=self.log)
        while self.process.poll() is None:
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except ConnectionRefusedError:
                time.sleep(0.1)
        self.log.seek(0)
        raise SystemExit(self.log.read())

    def client(self, token):
        return Client(self.port, token)


class Client:
    def __init__(self, port, token):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def ask(self, method, target, body=None):
        began = time.monotonic()
        self.connection.request(method, target, json.dumps(body) if body else None, self.headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        return answer.status, text, time.monotonic() - began


def told(name, values):
    values = sorted(values)
    if values:
        at = lambda share: values[min(int(len(values) * share), len(values) - 1)] * 1000
        print(f"{name}: {len(values)}, median {at(0.5):.0f} ms, p99 {at(0.99):.0f} ms, worst {at(1):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cm", default="target/release/cm")
    parser.add_argument("--interval", default="2s")
    for name, number in (("servers", 3), ("writers", 8), ("readers", 24), ("seconds", 60)):
        parser.add_argument(f"--{name}", type=int, default=number)
    given = parser.parse_args()
    program, example = os.path.abspath(given.cm), os.path.abspath("example-vault")
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "GIT_CONFIG_NOSYSTEM": "1"}
        git = lambda *arguments: subprocess.run(["git", *arguments], cwd=home, env=environment, check=True, capture_output=True, text=True).stdout
        for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org"), ("init.defaultBranch", "main")):
            git("config", "--global", key, value)
        remote, clones = os.path.join(home, "remote.git"), [os.path.join(home, f"clone{at}") for at in range(given.servers)]
        git("init", "--bare", remote)
        shutil.copytree(example, clones[0])
        servers = [Server(program, clone, environment) for clone in clones]
        servers[0].cm("init", ".")
        servers[0].cm("commit")
        git("-C", clones[0], "remote", "add", "origin", remote)
        servers[0].cm("sync")
        for clone in clones[1:]:
            git("clone", remote, clone)
        for server in servers:
            server.cm("trust")
        tokens = [[server.token(f"c{at}") for at in range(given.writers + given.readers)] for server in servers]
        for server in servers:
            server.start(given.interval)
        run(given, servers, tokens)
        for server in servers:
            server.process.send_signal(signal.SIGTERM)
            server.process.wait()
        for server in servers * 2:
            server.cm("sync")
        check(servers, git)


WRITES, READS, STALE, ERRORS, ACKNOWLEDGED = [], [], [], [], []


def run(given, servers, tokens):
    end = time.monotonic() + given.seconds

    def write(place):
        home = place % len(servers)
        client, number = servers[home].client(tokens[home][place]), 0
        while time.monotonic() < end:
            number += 1
            name = f"replica{place}number{number}"
            text = f"The gauge {name} reports {place * 100000 + number} millimetres at its {number}th reading."
            status, answer, took = client.ask("POST", "/observations", {"content": text})
            if status != 201:
                ERRORS.append((status, answer))
                continue
            WRITES.append(took)
            ACKNOWLEDGED.append(name)
            if number % WATCHED == 1:
                threading.Thread(target=watch, args=(home, place, name, time.monotonic())).start()

    def watch(home, place, name, written):
        for other, server in enumerate(servers):
            if other == home:
                continue
            client = server.client(tokens[other][place])
            while name not in client.ask("GET", f"/search?q={name}&limit=3")[1]:
                if time.monotonic() - written > LONGEST:
                    ERRORS.append((0, f"{name} is missing at server {other}"))
                    break
                time.sleep(0.1)
            STALE.append(time.monotonic() - written)

    def read(place):
        home = place % len(servers)
        client = servers[home].client(tokens[home][place])
        words = ["gauge", "retry", "station clock", "upload", "cache"]
        while time.monotonic() < end:
            status, answer, took = client.ask("GET", f"/search?q={words[place % len(words)].replace(' ', '+')}&limit=5")
            (READS if status == 200 else ERRORS).append(took if status == 200 else (status, answer))

    threads = [threading.Thread(target=write, args=(at,)) for at in range(given.writers)]
    threads += [threading.Thread(target=read, args=(given.writers + at,)) for at in range(given.readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join()
    told("writes", WRITES)
    told("searches", READS)
    told("until a write is read at another server", STALE)
    print(f"errors: {len(ERRORS)} {ERRORS[:2]}")


def check(servers, git):
    trees = {git("-C", server.folder, "rev-parse", "HEAD^{tree}") for server in servers}
    texts = ["".join(open(os.path.join(at, name), encoding="utf-8").read() for at, _, names in os.walk(server.folder)
             if "/." not in at and "/_" not in at for name in names if name.endswith(".md")) for server in servers]
    missing = [name for name in ACKNOWLEDGED for text in texts if name + " " not in text]
    for server in servers:
        git("-C", server.folder, "fsck", "--strict")
    print(f"acknowledged: {len(ACKNOWLEDGED)}, missing: {len(missing)}, different trees: {len(trees) - 1}")
    if missing or len(trees) > 1:
        raise SystemExit(f"missing: {missing[:5]}")


if __name__ == "__main__":
    main()
