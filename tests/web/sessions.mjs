// Writes sessions of Claude Code about a vault into the home folder, and lets the hooks answer their
// prompts, so that the page has receipts, friction and an incident to show.
//
//     node sessions.mjs CM VAULT
//
// CM is the program, VAULT the folder of a trusted vault.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";

const [, , cm, vault] = process.argv;
const run = (input, ...words) => execFileSync(cm, ["--vault", vault, ...words], { cwd: vault, encoding: "utf8", input });
const REFUSAL = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
const DAY = 86_400_000;

const person = (text) => ["user", text];
const agent = (text) => ["assistant", [{ type: "text", text }]];
let calls = 0;
const ran = (command, output, is_error = false) => {
  const id = `t${calls += 1}`;
  return [
    ["assistant", [{ type: "tool_use", id, name: "Bash", input: { command } }]],
    ["user", [{ type: "tool_result", tool_use_id: id, is_error, content: output }]],
  ];
};
const failed = (command, output) => ran(command, `Exit code 101\n${output}`, true);
const refused = (command) => ran(command, REFUSAL, true);
const overloaded = ["assistant", [{ type: "text", text: "API Error: 529 Overloaded" }], { isApiErrorMessage: true }];
const interrupted = person([{ type: "text", text: "[Request interrupted by user]" }]);

/** By age in days: what was said and run, in order. */
const sessions = [
  [2, [
    person("The pool hands out dead Postgres connections after a quiet night. Keep every long-lived connection from idling."), ...ran("rg idle_timeout", "src/pool.rs:14"),
    ...failed("cargo nextest run pool", "error: connection reset by peer"), agent("The firewall forgets idle connections. I set the keepalive to 60 seconds."), ...ran("cargo nextest run pool", "12 passed"), person("Great, that works."),
  ]],
  [5, [
    person("Restart node 2 of the API behind the load balancer without dropping requests."), ...refused("systemctl restart api"), person("No, drain it first."), ...ran("just drain 2", "drained"), ...ran("systemctl restart api", ""), person("Good."),
  ]],
  [12, [
    person("Clean up the branch of the tide tables."), ...ran("git reset --hard", "HEAD is now at 1a2b3c4"), person("oh no, all my work is gone"), ...ran("git reflog", "1a2b3c4 HEAD@{0}"), agent("I am sorry: the uncommitted changes are lost."),
  ]],
  [26, [
    person("Why does the nightly run of the daily extremes fail?"), ...failed("cargo nextest run daily_extremes", "assertion failed"), interrupted, overloaded, person("Look at the date of the run first."), ...failed("cargo nextest run daily_extremes", "assertion failed"), ...refused("cargo nextest run --retries 3"), agent("The test takes a local day for 24 hours."),
  ]],
];

const folder = `${homedir()}/.claude/projects/notes`;
mkdirSync(folder, { recursive: true });
sessions.forEach(([age, lines], number) => {
  const session = `5e5510${number}0-0000-4000-8000-00000000000${number}`, began = Date.now() - age * DAY;
  const record = ([role, content, more], at) => JSON.stringify({
    type: role, sessionId: session, cwd: vault, gitBranch: "main", userType: "external", isSidechain: false, uuid: `${session}-${at}`,
    timestamp: new Date(began + at * 20_000).toISOString(), message: { role, model: "m", content }, ...more,
  });
  writeFileSync(`${folder}/${session}.jsonl`, `${lines.map(record).join("\n")}\n`);
  const message = (more) => JSON.stringify({ session_id: session, cwd: vault, ...more });
  run(message({ hook_event_name: "SessionStart", source: "startup" }), "hook", "claude", "session_start");
  run(message({ hook_event_name: "UserPromptSubmit", prompt: lines[0][1] }), "hook", "claude", "prompt");
});
run("", "sessions", "--days", "0");
run("", "trauma", "accept", "t-", "--days", "60");
