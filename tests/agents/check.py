"""Checks what an agent was given and what was kept of its session, in the project's folder.

    check.py AGENT RULE_ID PROMPT REQUESTS.jsonl

`cm` is on the path. Each check that fails is a line, and the exit code is 1.
"""

import html
import json
import subprocess
import sys
import time

RULE = "Write the changelog before the release."
CONTENT = "give the client a timeout of 2 s"
REFUSAL = "use --force-with-lease"
ANSWER = "I mended it."
NAMES = {"claude": "claude-code", "copilot": "copilot-cli"}
# Pi has no MCP. Qwen Code offers tools of servers after a search. Cline registers servers in a dialogue, does not tell a
# first prompt, ends a task that is blocked, and saves the last answer after its last event.
LEFT_OUT = {
    "pi": {"feedback through MCP"},
    "qwen": {"feedback through MCP"},
    "cline": {"feedback through MCP", "given what fits the prompt", "stopped by the guard", "reads back: the answer"},
}


def cm(*arguments):
    ran = subprocess.run(["cm", *arguments, "--json"], capture_output=True, text=True, check=False)
    return json.loads(ran.stdout) if ran.stdout.strip() else {"error": ran.stderr}


def captured(agent):
    """The agent's session with what was said in it, once the index has its end; nothing here reads the log itself."""
    def newest():
        return (cm("--no-refresh", "sessions", "--days", "0", "--agent", agent).get("sessions") or [None])[0]

    session, said = None, []
    for _ in range(150):
        session = newest()
        if session:
            said = cm("--no-refresh", "sessions", "show", session["id"]).get("said", [])
            if any(ANSWER in (event.get("text") or "") for event in said if event.get("speaker") == "agent"):
                # The list was read before the answer was there.
                return newest(), said
        time.sleep(0.2)
    return session, said


def main(agent, rule, prompt, requests):
    with open(requests, encoding="utf-8") as file:
        asked = [json.loads(line) for line in file]
    # The request with the most texts holds the whole conversation; requests for titles do not.
    texts = [html.unescape(text) for text in max(asked, key=lambda request: len(request["texts"]))["texts"]]
    whole = "\n".join(texts)
    checks = {
        # Agents read the log of git as well, which has the rule in a subject.
        "briefed once": sum(text.count(RULE) for text in texts if "cm:begin memory" in text) == 1,
        "given what fits the prompt": CONTENT in whole,
        "stopped by the guard": REFUSAL in whole,
    }
    checks["feedback through MCP"] = any(
        bullet["id"] == rule and bullet["helpful"] > 0 for bullet in cm("playbook", "list").get("bullets", [])
    )
    session, said = captured(NAMES.get(agent, agent))
    checks["captured when it ended"] = session is not None
    if session:
        spoken = {speaker: [] for speaker in ("person", "agent")}
        for event in said:
            spoken.get(event.get("speaker"), []).append(event.get("text") or "")
        checks["reads back: the prompt, once"] = len(spoken["person"]) == 1 and prompt in spoken["person"][0]
        checks["reads back: the answer"] = [text for text in spoken["agent"] if ANSWER in text] == [ANSWER]
        title = session.get("title") or ""
        # opencode asks the model for a title.
        checks["has a title of its own"] = "memory" not in title and (agent == "opencode" or prompt in title)
    for name in LEFT_OUT.get(agent, ()):
        checks.pop(name, None)
    missed = [name for name, holds in checks.items() if not holds]
    print(f"{len(checks) - len(missed)} of {len(checks)}" + (f"; not {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
