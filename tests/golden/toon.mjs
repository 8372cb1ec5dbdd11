// Writes toon.json: documents with what the reference implementation of TOON makes of them.
//
//     npm pack @toon-format/toon@4.4.0 @toon-format/spec@3.3.2     and unpack both
//     node tests/golden/toon.mjs TOON/dist/index.mjs SPEC/tests/fixtures/encode > tests/golden/toon.json
//
// The inputs are those of the specification's fixtures that need no options (MIT License, Copyright (c) 2025-PRESENT
// Johann Schopplich), and our own below, of the shapes that cm prints.
import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [reference, fixtures] = process.argv.slice(2);
const { encode, decode } = await import(pathToFileURL(resolve(reference)));

const own = {
  "empty containers": { a: [], b: {}, c: "", d: null, e: [{}], f: [[]], g: { h: [] } },
  "numbers": { a: 0, b: -0.5, c: 1e20, d: 1e-6, e: 0.1235, f: 999, g: 4.4524, h: -3, i: 123456789012 },
  "numbers in rows": { rows: [{ n: 1, x: 0.5 }, { n: -2, x: 0.0001 }, { n: 3, x: 1000000 }] },
  "strings that look like something else": {
    texts: ["true", "null", "12", "1e3", "05", "-", "- a", "a: b", "[2]: x", "{x}", "", " lead", "trail ", "#", "a,b", "\"", "\\"],
  },
  "line breaks and tabs": { a: "one\ntwo", b: "tab\there", c: "cr\r", d: "\u0001\u001f", e: "\u007f" },
  "unicode": { a: "日本語", b: "café 🧠", "ключ": 1, c: "\u202e", d: "\ufeffx", e: "\u2028", f: "\u00a0a" },
  "keys": { "a b": 1, "a:b": 2, "a-b": 3, "a.b": 4, "_c": 5, "1d": 6, "": 7, "é": 8 },
  "booleans and nulls in rows": { rows: [{ a: true, b: null }, { a: false, b: "null" }] },
  "rows with different keys": { rows: [{ a: 1 }, { a: 1, b: 2 }] },
  "rows in another order": { rows: [{ a: 1, b: 2 }, { b: 3, a: 4 }] },
  "rows with lists": { rows: [{ a: 1, tags: ["x", "y"] }, { a: 2, tags: [] }] },
  "rows with objects": { rows: [{ a: 1, o: { p: 1 } }, { a: 2, o: { p: 2 } }] },
  "rows with objects of different keys": { rows: [{ a: 1, o: { p: 1 } }, { a: 2, o: { q: 2 } }] },
  "mixed list": { items: [1, "a", { b: 2 }, [3, 4], null, true, []] },
  "objects of one shape by key": { omitted: { rules: { n: 1 }, pitfalls: { n: 2 } } },
  "nested objects": { a: { b: { c: { d: [1, { e: [{ f: 1 }] }] } } } },
  "a briefing": {
    task: "fix: retry, at once", workspace: "tidewater", rules: [
      { id: "b-1", content: "Say \"no\", then `retry`: twice.", category: "net", type: "rule", score: 4.5301, helpful: 6, pinned: true, vault: "project" },
      { id: "b-2", content: "Line\nbreak", category: "a, b", type: "rule", score: -0.25, helpful: 0, pinned: false, vault: "global" },
    ], pitfalls: [], memories: [{ id: "x", title: "- item", type: null, tags: "a, b" }],
    warnings: [], searches: ["retry type:fix", "\"full jitter\" -x"], omitted: { rules: 0, memories: 9 }, tokens: 812,
    notices: ["no sessions are indexed: no history"],
  },
};

const cases = [];
const skipped = [];
for (const file of readdirSync(fixtures).sort()) {
  for (const test of JSON.parse(readFileSync(`${fixtures}/${file}`)).tests) {
    if (test.options || test.shouldError) continue;
    const toon = encode(test.input);
    if (toon !== test.expected) skipped.push(test.name);
    cases.push({ name: `${file.replace(".json", "")}: ${test.name}`, input: test.input, toon });
  }
}
for (const [name, input] of Object.entries(own)) cases.push({ name, input, toon: encode(input) });
for (const { name, input, toon } of cases) {
  const same = JSON.stringify(decode(toon)) === JSON.stringify(input);
  if (!same) console.error(`not read back by the reference itself: ${name}`);
}
console.error(`${cases.length} documents; newer than the fixture: ${skipped.join("; ") || "none"}`);
const source = "See toon.mjs. Inputs in part from the fixtures of the TOON specification, MIT License, Copyright (c) 2025-PRESENT Johann Schopplich.";
console.log(JSON.stringify({ source, cases }, null, 1));
