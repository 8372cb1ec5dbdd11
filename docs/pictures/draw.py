#!/usr/bin/env python3
"""Draws the real output of `cm` on a terminal as PNG files.

    python3 -m venv target/pictures && target/pictures/bin/pip install pyte pillow
    target/pictures/bin/python docs/pictures/draw.py --cm target/release/cm --out target/pictures/out
    target/pictures/bin/python docs/pictures/draw.py --width 80 --only readme --out docs/pictures

Each command runs in a copy of the example vault (or of --vault), in a pseudo-terminal of the given width. The script exits 1
if a line of output ends within a word, or if a command cannot be run.
"""

import argparse
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

import pyte
from PIL import Image, ImageDraw, ImageFont

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = {
    "readme": ["search", "why did everything hang in the morning", "--limit", "3"],
    "search": ["search", "retry timeouts"],
    "get": ["get", "{note}"],
    "context": ["context", "make the upload retry after a timeout"],
    "related": ["related", "{note}", "--hops", "2"],
    "graph": ["graph", "{note}", "--hops", "2"],
    "review": ["review"],
    "log": ["log"],
    "validate": ["validate", "--all"],
    "stats": ["stats"],
    "recent": ["recent"],
    "playbook": ["playbook", "list"],
    "ls": ["ls"],
    "decay": ["decay"],
    "similar": ["similar", "{note}"],
    "stale": ["stale"],
    "why": ["why", "{note}"],
    "hooks": ["hooks", "status", "claude", "codex"],
    "ambiguous": ["get", "b"],
    "error": ["get", "no such note"],
    "home": [],
    "help": ["help", "search"],
}
THEMES = {
    "dark": {"background": "#1d1f27", "foreground": "#d7dae0", "dim": 0.62, "colours": {
        "black": "#3b4048", "red": "#ef6b73", "green": "#8cc570", "brown": "#e3b765", "blue": "#61a8ee",
        "magenta": "#d484e6", "cyan": "#56b6c2", "white": "#d7dae0"}},
    "light": {"background": "#fbfbf8", "foreground": "#24272e", "dim": 0.6, "colours": {
        "black": "#24272e", "red": "#c4262e", "green": "#2d7d33", "brown": "#8d6400", "blue": "#1b5fb8",
        "magenta": "#9a2bb0", "cyan": "#0d7585", "white": "#5c6370"}},
}


def screen_of(command, width, folder, environment):
    """Runs a command in a pseudo-terminal, and returns its output and exit code."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, width, 0, 0))
    process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, cwd=folder, env=environment, close_fds=True)
    os.close(child)
    output = b""
    while True:
        ready, _, _ = select.select([parent], [], [], 60)
        if not ready:
            process.kill()
            sys.exit(f"{command} does not end")
        try:
            part = os.read(parent, 65536)
        except OSError:
            break
        if not part:
            break
        output += part
    os.close(parent)
    return output.decode("utf-8", "replace"), process.wait()


class Screen(pyte.Screen):
    """A screen that keeps faint text apart, which pyte does not know."""

    def select_graphic_rendition(self, *attributes, private=False):
        super().select_graphic_rendition(*[each for each in attributes if each != 2])
        if 2 in attributes:
            # Blinking text is not used otherwise.
            super().select_graphic_rendition(5)


def draw(output, width, theme, path):
    screen = Screen(width, 1000)
    pyte.Stream(screen).feed(output)
    used = max((row for row, line in screen.buffer.items() if any(cell.data.strip() for cell in line.values())), default=0) + 1
    size, folder = 15, "/usr/share/fonts/truetype/dejavu"
    fonts = {bold: ImageFont.truetype(f"{folder}/DejaVuSansMono{'-Bold' if bold else ''}.ttf", size) for bold in (False, True)}
    step, height = round(fonts[False].getlength("M")), 20
    image = Image.new("RGB", (step * width + 24, height * used + 20), theme["background"])
    canvas = ImageDraw.Draw(image)
    for row in range(used):
        for column in range(width):
            cell = screen.buffer[row][column]
            if not cell.data.strip():
                continue
            name = cell.fg if isinstance(cell.fg, str) else "default"
            colour = theme["foreground"] if name == "default" else theme["colours"].get(name, f"#{name}")
            if cell.blink:
                colour = blend(colour, theme["background"], theme["dim"])
            at = (12 + column * step, 10 + row * height)
            canvas.text(at, cell.data, font=fonts[cell.bold], fill=colour)
            if cell.underscore:
                canvas.line((at[0], at[1] + 18, at[0] + step, at[1] + 18), fill=colour)
    # Text needs few colours, and a palette makes the file four times smaller.
    image.quantize(48, dither=Image.Dither.NONE).save(path, optimize=True)


def blend(colour, background, share):
    parts = lambda text: [int(text[at:at + 2], 16) for at in (1, 3, 5)]
    mixed = [round(a * share + b * (1 - share)) for a, b in zip(parts(colour), parts(background))]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def broken_words(output, width):
    """Lines that fill the terminal exactly and go on within a word."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output).replace("\r\n", "\n")
    return [line for line in plain.split("\n") if len(line) > width and len(line.split()) > 1 and max(map(len, line.split())) < width - 12]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cm", default=str(ROOT / "target/release/cm"))
    parser.add_argument("--vault", default=str(ROOT / "example-vault"))
    parser.add_argument("--note", help="title or id of the note to show")
    parser.add_argument("--width", type=int, action="append")
    parser.add_argument("--theme", choices=THEMES, action="append")
    parser.add_argument("--only", action="append", choices=COMMANDS)
    parser.add_argument("--out", required=True)
    wanted = parser.parse_args()
    out = pathlib.Path(wanted.out)
    out.mkdir(parents=True, exist_ok=True)
    cm = str(pathlib.Path(wanted.cm).resolve())
    failed = False
    with tempfile.TemporaryDirectory() as home:
        vault = pathlib.Path(home) / "vault"
        shutil.copytree(wanted.vault, vault, ignore=shutil.ignore_patterns("_*", ".git"))
        environment = {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color", "LANG": "C.UTF-8", "CM_PAGER": "cat",
                       "GIT_AUTHOR_NAME": "Ada Example", "GIT_AUTHOR_EMAIL": "ada@example.org",
                       "GIT_COMMITTER_NAME": "Ada Example", "GIT_COMMITTER_EMAIL": "ada@example.org"}
        for command in (["git", "init", "-q"], ["git", "add", "-A"], ["git", "commit", "-qm", "Example vault"], [cm, "trust"], [cm, "reindex"],
                        [cm, "add", "The gauge at the pier needs a new battery each spring"],
                        [cm, "mark", "b-mt2ssunl-jq6d8j", "--helpful", "--reason", "no lock was held for longer than a second"]):
            subprocess.run(command, cwd=vault, env=environment, check=True, capture_output=True)
        note = wanted.note or first_note(cm, vault, environment)
        for name in wanted.only or COMMANDS:
            command = [word.format(note=note) for word in COMMANDS[name]]
            for width in wanted.width or [60, 80, 120, 200]:
                output, _ = screen_of([cm, *command], width, vault, environment)
                for line in broken_words(output, width):
                    failed = True
                    print(f"{name} at {width} columns: {line!r}", file=sys.stderr)
                shown = f"\x1b[2m$ cm {' '.join(quoted(word) for word in command)}\x1b[0m\r\n{output}"
                for theme in wanted.theme or THEMES:
                    draw(shown, width, THEMES[theme], out / f"{name}-{width}-{theme}.png")
    sys.exit(1 if failed else 0)


def quoted(word):
    return f'"{word}"' if " " in word else word


def first_note(cm, vault, environment):
    """The note with the most links."""
    import json
    answer = subprocess.run([cm, "search", "is:pinned OR type:solution", "--json"], cwd=vault, env=environment, check=True,
                            capture_output=True, text=True)
    return json.loads(answer.stdout)["hits"][0]["title"]


if __name__ == "__main__":
    main()
