#!/usr/bin/env node
// Runs the program of the package for this platform, which npm installs as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `@cm-tools/cm-${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "cm.exe" : "cm";

let path;
try {
  path = require.resolve(`${name}/bin/${program}`);
} catch {
  console.error(`cm: the package ${name} is not installed.`);
  console.error("Either there is no build for this platform, or npm ran with --omit=optional.");
  console.error("To build from source: cargo install --path . --locked");
  process.exit(1);
}

const child = spawn(path, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
child.on("error", (error) => {
  console.error(`cm: ${path} cannot be started: ${error.message}`);
  process.exit(1);
});
// A terminal sends Ctrl-C to both processes, so this one only has to outlive the program.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
