"""Types command lines into a shell on a pseudo-terminal, presses Tab and Enter, and compares the arguments that the
completed command gets.

Usage: press_tab.py SHELL HOME VAULT OTHER_VAULT. HOME has the shell's start-up files. The first `cm` on PATH writes its
arguments to $CM_ARGUMENTS, as JSON."""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

SHELL, HOME, VAULT, OTHER = sys.argv[1:]
ARGUMENTS = os.environ["CM_ARGUMENTS"]
QUOTED = "Ada's \"quoted\" $HOME & co"
COMMANDS = {
    "bash": ["bash", "--noprofile", "--rcfile", f"{HOME}/bashrc", "-i"],
    "zsh": ["zsh", "-d", "-i"],
    "fish": ["fish", "--interactive"],
    "nu": ["nu", "--config", f"{HOME}/config.nu", "--env-config", f"{HOME}/env.nu"],
}
CASES = [
    ("cm unrel", ["unrelate"]),
    ("cm get Retry", ["get", "Retry with jitter"]),
    ('cm get "Retry w', ["get", "Retry with jitter"]),
    ("cm get 'Retry w", ["get", "Retry with jitter"]),
    ("cm get Ada", ["get", QUOTED]),
    ('cm get "Ada', ["get", QUOTED]),
    ("cm search --tag harb", ["search", "--tag", "harbour"]),
    ("cm search --tag=harb", ["search", "--tag=harbour"]),
    ("cm config get git.com", ["config", "get", "git.commit"]),
    ("cm relate --type SUPER", ["relate", "--type", "SUPERSEDES"]),
    ("cm new --type prefer", ["new", "--type", "preference"]),
    (f"cm --vault {OTHER} get Only", ["--vault", OTHER, "get", "Only in the other vault"]),
]
if SHELL != "nu":
    CASES.append(("cm get Retry\\ w", ["get", "Retry with jitter"]))
# What terminals answer when they are asked for their attributes and for the cursor.
ANSWERS = {b"\x1b[c": b"\x1b[?62;c", b"\x1b[0c": b"\x1b[?62;c", b"\x1b[6n": b"\x1b[1;1R"}


class Terminal:
    def __init__(self):
        self.seen = b""
        child, self.master = pty.fork()
        if child == 0:
            os.chdir(VAULT)
            os.execvpe(COMMANDS[SHELL][0], COMMANDS[SHELL], {**os.environ, "TERM": "xterm", "HOME": HOME, "ZDOTDIR": HOME})
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))

    def read(self, seconds):
        """Reads for so long; returns whether there was anything."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        try:
            got = os.read(self.master, 65536)
        except OSError:
            sys.exit(f"{SHELL} ended:\n{self.seen.decode(errors='replace')}")
        self.seen += got
        for asked, answer in ANSWERS.items():
            for _ in range(got.count(asked)):
                os.write(self.master, answer)
        return bool(got)

    def settle(self, quiet=0.6, patience=20):
        """Reads until nothing has been printed for some time."""
        end = time.monotonic() + patience
        while self.read(quiet) and time.monotonic() < end:
            pass

    def type(self, text):
        os.write(self.master, text.encode())
        self.settle()


def arguments(terminal):
    end = time.monotonic() + 10
    while time.monotonic() < end:
        terminal.read(0.1)
        if os.path.exists(ARGUMENTS):
            with open(ARGUMENTS, encoding="utf-8") as file:
                return json.load(file)
    return None


def main():
    terminal = Terminal()
    terminal.settle(quiet=1.5)
    failed = 0
    for line, expected in CASES:
        if os.path.exists(ARGUMENTS):
            os.remove(ARGUMENTS)
        terminal.seen = b""
        terminal.type(line)
        terminal.type("\t")
        terminal.type("\r")
        got = arguments(terminal)
        if got != expected:
            failed += 1
            print(f"{SHELL}: `{line}` and Tab: expected {expected}, got {got}; the terminal showed {terminal.seen[-400:]!r}")
            terminal.type("\x03")
    if failed:
        sys.exit(f"{SHELL}: {failed} of {len(CASES)} lines were completed wrongly")
    print(f"    {SHELL}: {len(CASES)} lines completed")


main()
