// Opens the page of a vault in a real browser: each flow by keyboard and by mouse, changes as they happen, reading
// without JavaScript, accessibility at three widths and in both themes, and hostile notes.
//
//     node check.mjs LINK VAULT CM SITE [PICTURES]
//
// LINK is what `cm web --no-open` prints, VAULT the folder of the vault, CM the program. SITE
// has the exported site in the folder `memory`. With PICTURES, a folder, it
// writes a picture of every view there.
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { browser } from "./browser.mjs";

const [, , link, vault, cm, site, pictures] = process.argv;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const run = (...words) => execFileSync(cm, ["--vault", vault, ...words], { encoding: "utf8" });
const json = (...words) => JSON.parse(run(...words, "--json"));

const context = await browser.newContext();
const page = await context.newPage();
page.setDefaultTimeout(60000);
const problems = [];
page.on("console", (message) => { if (message.type() === "error") problems.push(`${page.url()}: ${message.text()}`); });
page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
let dialogs = 0;
page.on("dialog", (dialog) => { dialogs += 1; dialog.dismiss(); });

await page.goto(link);
const base = new URL(page.url()).origin;
const open = (path) => page.goto(base + path);
const text = () => page.innerText("main");
const passed = (what) => console.log(`    ${what}`);

// The inbox by keyboard: move, accept, undo; then by mouse.
const drafts = () => json("playbook", "list", "--state", "draft").bullets.map((bullet) => bullet.id);
const before = drafts();
assert.ok(before.length > 0, "the vault has a draft");
await open("/review");
await page.keyboard.press("j");
assert.ok(await page.evaluate(() => document.activeElement.matches("[data-entry]")));
await page.keyboard.press("a");
await page.waitForSelector("[data-notice]");
assert.equal(drafts().length, before.length - 1, "accepted by a key");
await page.keyboard.press("u");
await page.waitForFunction(() => document.querySelector("[data-notice]")?.innerText.includes("Undone"));
assert.deepEqual(drafts(), before, "taken back by a key");
await page.click("#drafts .decision >> nth=0 >> text=Accept");
await page.waitForSelector("[data-notice] >> text=Undo");
await page.click("[data-notice] >> text=Undo");
await page.waitForFunction(() => document.querySelector("[data-notice]")?.innerText.includes("Undone"));
assert.deepEqual(drafts(), before, "accepted and taken back by mouse");
passed("inbox: accept and undo, by keyboard and by mouse");

// Several at once by keys; a decision leads to the next entry; a reason; what replaces what; a merge; an edit.
const notice = (words) => page.waitForFunction((words) => document.querySelector("[data-notice]")?.innerText.includes(words), words);
await open("/review?section=drafts");
await page.keyboard.press("j"); await page.keyboard.press("x"); await page.keyboard.press("j"); await page.keyboard.press("x");
assert.equal(await page.innerText("[data-selected]"), "2 selected");
await page.click("text=Reject selected");
await notice("Rejected 2 notes");
assert.equal(drafts().length, before.length - 2);
await page.keyboard.press("u");
await notice("Undone: 2 commits");
assert.deepEqual(drafts(), before, "both are taken back");
await page.keyboard.press("j"); await page.keyboard.press("j"); await page.keyboard.press("r");
await page.keyboard.type("not here");
await page.keyboard.press("Enter");
await notice("Rejected 1 note");
assert.ok(await page.evaluate(() => document.activeElement.matches("[data-entry]")), "the keys go on");
await page.keyboard.press("u");
await notice("Undone");
await open("/review?section=drafts");
await page.keyboard.press("j"); await page.keyboard.press("s");
assert.equal(await page.evaluate(() => document.activeElement.name), "direction");
await page.keyboard.press("Tab");
await page.keyboard.type("cache");
await page.waitForSelector("datalist option", { state: "attached" });
await page.keyboard.press("Escape");
await open("/review?section=merges");
await page.keyboard.press("j"); await page.keyboard.press("m");
assert.equal(await page.evaluate(() => document.activeElement.name), "content");
await page.keyboard.press("Control+Enter");
await notice("Merged into one rule");
await page.click("[data-notice] >> text=Undo");
await notice("Undone");
await page.keyboard.press("j"); await page.keyboard.press("s");
assert.equal(await page.evaluate(() => document.activeElement.value), "replaces");
await page.keyboard.press("Enter");
await notice("Replaced");
await page.click("[data-notice] >> text=Undo");
await notice("Undone");
await open("/review?section=drafts");
await page.keyboard.press("j"); await page.keyboard.press("e");
await page.waitForURL(/then=accept/);
await page.click("text=Save and accept");
await notice("Saved and accepted");
await page.keyboard.press("u");
await notice("Undone");
await page.keyboard.press("?");
await page.waitForSelector("dialog[open] >> text=supersede, merge");
await page.keyboard.press("Escape");
passed("inbox: bulk, reasons, supersede, merge and edit, by keyboard");

// Search from anywhere, results while typing, arrow and Enter.
await open("/log");
await page.keyboard.press("/");
await page.keyboard.type("firewall");
await page.keyboard.press("Enter");
await page.waitForSelector("#results .hits li");
await page.waitForLoadState("load");
await page.fill("#q", "");
await page.type("#q", "time zone", { delay: 10 });
await page.waitForFunction(() => document.querySelector("#results .hits")?.innerText.toLowerCase().includes("zone")).catch(async (error) => { console.log(await page.inputValue("#q"), await page.innerText("#results"), problems); throw error; });
await page.keyboard.press("ArrowDown");
await page.keyboard.press("Enter");
await page.waitForURL(/\/note\//);
passed("search: while typing, arrows and Enter");

// Two tabs and a hand edit at once: the other tab shows it, and no text is lost.
const fact = json("add", "--type", "fact", "--title", "The page follows changes", "--body", "First words.");
await open(`/note/${fact.id}`);
const other = await context.newPage();
await other.goto(`${base}/edit/${fact.id}`);
await other.fill("#text", (await other.inputValue("#text")).replace("First", "My"));
// Only a page that is seen follows; bring it to the front.
await page.bringToFront();
await page.waitForTimeout(300);
appendFileSync(`${vault}/${fact.path}`, "\nTheir words.\n");
await page.waitForFunction(() => document.querySelector("main").innerText.includes("Their words."));
await other.bringToFront();
await other.click("text=Save");
await other.waitForSelector("[role=alert]");
assert.ok((await other.inputValue("#theirs")).includes("Their words."));
assert.ok((await other.inputValue("#text")).includes("My words."));
await other.close();
passed("a hand edit appears in an open page, and an edit beside it is a conflict with both texts");

// A lost connection is said, and what changed meanwhile appears when it is back.
await page.bringToFront();
await page.route("**/events", (route) => route.abort("connectionfailed"));
await open(`/note/${fact.id}`);
await page.waitForSelector(".lost >> text=The connection to cm is lost");
appendFileSync(`${vault}/${fact.path}`, "\nWritten meanwhile.\n");
await page.unroute("**/events");
await page.waitForFunction(() => !document.querySelector(".lost") && document.querySelector("main").innerText.includes("Written meanwhile."));
problems.splice(0, problems.length, ...problems.filter((problem) => !/ERR_/.test(problem)));
passed("a lost connection is said, and what changed meanwhile appears when it is back");

// The lines of a note with their commits, on demand; its versions by a slider and by keys.
run("update", fact.id, "--append", "More words.");
await open(`/note/${fact.id}`);
// When the page hears of the edit, it loads again and closes what was opened.
let originsShown = false;
for (let attempt = 0; !originsShown && attempt < 3; attempt += 1) {
  await page.click("text=Show the commit and session of each line");
  originsShown = await page.waitForFunction(() => document.querySelector("#origins")?.innerText.includes("More words."), null, { timeout: 60000 }).then(() => true, () => false);
}
assert.ok(originsShown, "the origin of the lines is shown");
assert.ok(page.url().endsWith(`/note/${fact.id}`), "without leaving the page");
await open(`/history/${fact.id}`);
const versions = () => page.locator("[data-version]:visible").count();
const written = await versions();
assert.ok(written > 1);
await page.focus("#version");
await page.keyboard.press("ArrowLeft");
assert.equal(await versions(), 1, "the slider shows one version");
assert.match(await page.getAttribute("#version", "aria-valuetext"), new RegExp(`^${written - 1} of ${written}, `));
await page.click("text=All versions");
assert.equal(await versions(), written);
passed("a note: the origin of its lines on demand, its versions by a slider");

// A preview beside the text, which follows what is typed and saves nothing.
await open(`/edit/${fact.id}`);
const unsaved = await page.inputValue("#text");
await page.click("text=Preview");
await page.waitForSelector("#preview .prose");
await page.fill("#text", `${unsaved}\n**Bold** words.\n`);
await page.waitForSelector("#preview strong >> text=Bold");
assert.ok((await page.inputValue("#text")).includes("**Bold**"), "the text is kept");
assert.ok(!run("get", fact.id).includes("Bold"), "nothing is saved");
await page.evaluate(() => { document.querySelector("#editor").dispatchEvent(new Event("submit", { bubbles: true })); });
passed("a preview follows the text and saves nothing");

// A note is renamed and deleted by mouse, and both are taken back.
const named = json("add", "--type", "fact", "--title", "A name to change", "--body", "Seen[^1] %%aside%% with [[No such note]].\n\n[^1]: In the log.");
await open(`/note/${named.id}`);
await page.click("summary >> text=Rename");
await page.fill("#new-title", "A changed name");
// A change elsewhere closes no form that is open, nor takes what was typed into it.
run("add", "--type", "fact", "--title", "Written meanwhile", "--body", "By somebody else.");
await page.evaluate(() => document.activeElement.blur());
await page.waitForTimeout(1500);
assert.equal(await page.inputValue("#new-title"), "A changed name", "the form stays open with its text");
assert.ok(await page.isVisible("text=Rename the note"));
await page.click("text=Rename the note");
await notice("Renamed");
assert.equal(await page.innerText("h1"), "A changed name");
assert.ok(!(await page.innerText(".prose")).includes("aside"), "comments are not in the text");
assert.equal(await page.innerText(".prose a.missing"), "No such note");
await page.click(".prose sup a");
assert.ok(page.url().endsWith("#h-1"), "a footnote is reached by its number");
await page.click("[data-notice] >> text=Undo");
await notice("Undone");
assert.equal(await page.innerText("h1"), "A name to change");
await page.click("summary >> text=Delete");
await page.click("text=Delete the note");
await notice("Deleted");
await page.click("[data-notice] >> text=Undo");
await notice("Undone");
await open(`/note/${named.id}`);
assert.equal(await page.innerText("h1"), "A name to change");
passed("a note: renamed, deleted, and both taken back; comments, footnotes and missing links");

// The playbook by keyboard: pin, take back, deprecate with a reason.
const rule = () => json("playbook", "get", before[0]);
await open("/playbook?state=draft");
await page.keyboard.press("j"); await page.keyboard.press("p");
await notice("Pinned");
await page.keyboard.press("u");
await notice("Undone");
await page.keyboard.press("j"); await page.keyboard.press("d");
await page.waitForSelector("form:popover-open");
await page.keyboard.type("no longer so");
await page.keyboard.press("Enter");
await notice("Deprecated 1 note");
await page.keyboard.press("u");
await notice("Undone");
assert.equal(rule().state, "draft");
passed("playbook: pin and deprecate, by keyboard");
// Time: the slider by keyboard, the page of then without buttons, links that stay there, and back.
const newest = json("log", "--limit", "1").commits[0].id;
await open("/core");
await page.waitForSelector("[data-time] input[type=range]");
await page.focus("#time-range");
await page.keyboard.press("Home");
assert.notEqual(await page.getAttribute("#time-range", "aria-valuetext"), "now");
await page.keyboard.press("Enter");
await page.waitForURL(/as_of=[0-9a-f]{40}/);
assert.equal(await page.locator("main form[action^='/act']").count(), 0, "nothing can be changed in the past");
await page.click("nav >> text=Home");
await page.waitForURL(/as_of=/);
await page.click("text=Back to now");
await page.waitForURL((url) => !url.search);
await open("/");
await page.waitForSelector("#learned .counts, #learned .muted");
await open(`/core?as_of=${newest}`);
await page.waitForSelector("text=Back to now");
passed("time: the slider by keyboard, links that stay at a time, and back to now");

// The map by mouse: what is under the pointer, its neighbours, a search, a time, zoom, and a click that opens a note.
const map = (what, argument) => page.evaluate(what, argument);
const shown = () => page.waitForFunction(() => document.getElementById("map").dataset.state === "ready");
/** Where a note is in the window, for a note with the most links. */
const spot = () => map(() => {
  const own = document.getElementById("map").map, { canvas, ratio } = own, { degree, half, x, y } = own.map;
  const note = degree.indexOf(Math.max(...degree)), at = (part) => (part[note] / 65535 * 2 - 1) * half, box = canvas.getBoundingClientRect();
  return { note, at: own.screen(at(x), at(y)).map((part, axis) => part / ratio + [box.left, box.top][axis]) };
});
const scale = () => map(() => document.getElementById("map").map.camera.scale);
await page.emulateMedia({ reducedMotion: "reduce" });
await page.setViewportSize({ width: 1440, height: 900 });
await open("/graph");
await shown();
const whole = await scale();
await page.click("#map-in");
assert.ok(await scale() > whole, "zoomed by a button");
const { note: linked, at: [left, top] } = await spot();
await page.mouse.move(left, top);
await page.waitForFunction((note) => { const { hover } = document.getElementById("map").map; return hover.note === note && hover.near?.notes.length > 1; }, linked);
const title = (await page.innerText(".map-tip")).split(" · ")[0];
await page.mouse.wheel(0, -240);
await page.waitForFunction((before) => document.getElementById("map").map.camera.scale > before * 1.3, await scale() / 1.4);
await page.fill("#map-find", "firewall");
await page.waitForFunction(() => /^[1-9]\d* found$/.test(document.getElementById("map-hits").textContent));
assert.ok(await map(() => document.getElementById("map").map.hits.length > 0), "hits are marked");
await page.fill("#map-since", "10");
assert.match(await page.innerText("#map-since-text"), /^within \d/);
assert.ok(await map(() => document.getElementById("map").map.latest < 255), "older notes fade");
await page.selectOption("#map-colour", "state");
await page.waitForSelector(".map-legend >> text=proven");
await page.click("#map-fit");
await page.mouse.move(1, 1);
const opened = (await spot()).at;
await page.click("#map-in");
await page.mouse.click(...(await spot()).at);
await page.waitForURL(/\/note\//);
assert.equal(await page.innerText("h1"), title, `the note under the pointer opens, at ${opened}`);
passed("map: neighbours, search, time, colours and zoom, and a note opens, by mouse");

// The same by keyboard.
await open("/graph");
await shown();
await page.focus("#map canvas");
await page.keyboard.press("+");
assert.ok(await scale() > whole * 1.2, "zoomed by a key");
const camera = () => map(() => document.getElementById("map").map.camera.x);
const middle = await camera();
await page.keyboard.press("ArrowRight");
assert.ok(await camera() > middle, "moved by a key");
await page.keyboard.press("0");
await page.focus("#map-find");
await page.keyboard.type("firewall");
await page.waitForFunction(() => document.getElementById("map").map.hits.length > 0);
await page.keyboard.press("Enter");
assert.ok(await page.evaluate(() => document.activeElement.matches("#map canvas")), "the keys go on in the map");
await page.keyboard.press("Enter");
await page.waitForFunction(() => document.activeElement.closest("#map-notes") && document.getElementById("map").map.hover.near?.notes.length > 0);
const found = await page.evaluate(() => document.activeElement.textContent);
assert.equal(found, await map(() => document.getElementById("map").map.hits[0].title), "the found note is chosen");
await page.keyboard.press("Escape");
assert.ok(await page.isHidden("#map-notes"));
await page.focus("#map-find");
await page.keyboard.press("Enter");
await page.keyboard.press("Enter");
await page.waitForFunction((title) => document.activeElement.textContent === title, found);
await page.keyboard.press("Enter");
await page.waitForURL(/\/note\//);
assert.equal((await page.innerText("h1")).trim(), found);
passed("map: zoom, move, search, neighbours, and a note opens, by keyboard");

// Sessions: from the list to a receipt, why a note was shown, and what it was worth; then the charts.
await open("/sessions");
await page.keyboard.press("j");
await page.keyboard.press("Enter");
await page.waitForURL(/\/sessions\/./);
const receipt = new URL(page.url()).pathname;
assert.match(await page.innerText(".shown"), /fits a prompt or a failed command; relevance 0\.\d\d|relevance 1\.00/);
await page.locator(".shown tr").filter({ has: page.locator("span.muted", { hasText: /^rule$/ }) }).first().locator("[value=helpful]").click();
await notice("Marked");
await page.waitForSelector(".shown .helpful >> text=helpful");
await page.click("[data-notice] >> text=Undo");
await notice("Undone");
await open("/charts");
const bars = await page.locator(".chart rect title").allTextContents();
for (const sign of ["interrupt", "refused", "error"]) assert.ok(bars.some((bar) => bar.includes(sign)), `${sign}: ${bars}`);
await page.click("text=Figures");
assert.ok(await page.locator("table tbody tr").count() > 3);
assert.match(await text(), /git reset --hard/);
passed("sessions: a receipt with reasons and feedback; charts of friction and of an incident");

// Reading without JavaScript.
const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
const still = await plain.newPage();
const views = ["/", "/review", "/search?q=firewall&explain=1", "/playbook", "/sessions", receipt, "/conflicts", "/stale", "/charts", "/core", "/log", "/checks", "/checks?run=1", "/past", "/learned", "/new", "/graph", `/note/${before[0]}`, `/history/${before[0]}`, `/origins/${before[0]}`, `/edit/${before[0]}`];
for (const view of views) {
  const reply = await still.goto(base + view);
  assert.equal(reply.status(), 200, view);
  assert.ok((await still.innerText("main")).trim().length > 20, `${view} reads without JavaScript`);
}
await still.goto(`${base}/log`);
await still.click("nav >> text=Playbook");
assert.ok(still.url().endsWith("/playbook"));
passed(`${views.length} views read without JavaScript`);

// Hostile notes: nothing runs, nothing is loaded from elsewhere.
const hostile = [
  "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "[x](javascript:alert(1))",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>", "<a href=\"data:text/html,<script>alert(1)</script>\">x</a>",
  "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
  "![x](https://example.org/x.png)", "<style>@import 'https://example.org/x.css'</style>", "<form action=/act/undo method=post><button>x</button></form>",
  "<details open ontoggle=alert(1)>", "&lt;script&gt;alert(1)&lt;/script&gt;", "\"><script>alert(1)</script>", "{{7*7}}", "<x hx-get=/log hx-trigger=load>", "<meta http-equiv=refresh content='0;url=https://example.org'>",
];
const foreign = [];
page.on("request", (request) => { if (!request.url().startsWith(base)) foreign.push(request.url()); });
for (const [at, payload] of hostile.entries()) {
  const note = json("add", "--type", "fact", "--title", `Attack ${at} ${payload.replaceAll("\n", " ").slice(0, 90)}`, "--body", `${payload}\n\n> ${payload}\n\n\`\`\`\n${payload}\n\`\`\``, "--tags", "attack");
  for (const path of [`/note/${note.id}`, `/edit/${note.id}`]) await open(path);
}
for (const path of ["/", "/search?q=tag:attack", "/log", "/checks", "/graph", "/core"]) { await open(path); await page.waitForTimeout(50); }
assert.equal(dialogs, 0, "no script of a note ran");
assert.deepEqual(foreign, [], "nothing was loaded from elsewhere");
assert.deepEqual(problems.filter((problem) => !/409|404/.test(problem)), [], "no errors and no violations of the policy");
passed(`${hostile.length} hostile notes: nothing ran, nothing was loaded from elsewhere`);

// Accessibility of every view at three widths, and in both themes at the widest; pictures are made of all six.
let checked = 0;
const tools = await context.newCDPSession(page);
const shapes = ["light", "dark"].flatMap((theme) => [390, 820, 1440].map((width) => [theme, width]));
for (const [theme, width] of shapes.filter(([theme, width]) => pictures || theme === "light" || width === 1440)) for (const view of views) {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme });
  await open(view);
  await tools.send("Runtime.evaluate", { expression: axe });
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html}`), [], `${view} ${theme} ${width}`);
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const widest = beyond > 0 && await page.evaluate(() => [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 160)).slice(0, 4).join("\n"));
  assert.ok(beyond <= 0, `${view} is ${beyond} px wider than ${width} px:\n${widest}`);
  checked += 1;
  if (pictures) await page.screenshot({ path: `${pictures}/${view.replace(/[?&].*|\W+/g, "-")}-${width}-${theme}.png` });
}
passed(`${views.length} views in ${checked / views.length} shapes without a violation`);

// The exported site from a plain file server: no errors, no requests to elsewhere, no violation.
const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };
const files = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
  try {
    const body = readFileSync(join(site, normalize(path.endsWith("/") ? `${path}index.html` : path)));
    response.writeHead(200, { "content-type": types[extname(path)] ?? (path.endsWith("/") ? "text/html" : "application/octet-stream") }).end(body);
  } catch { response.writeHead(404).end(); }
});
await new Promise((ready) => files.listen(0, "127.0.0.1", ready));
const plainSite = `http://127.0.0.1:${files.address().port}/memory/`;
const visitor = await browser.newPage();
const errors = [];
visitor.on("console", (message) => { if (message.type() === "error") errors.push(`${visitor.url()}: ${message.text()}`); });
visitor.on("pageerror", (error) => errors.push(`${visitor.url()}: ${error.message}`));
visitor.on("response", (reply) => { if (reply.status() >= 400) errors.push(`${reply.url()}: ${reply.status()}`); });
const rest = await visitor.context().newCDPSession(visitor), seen = new Set(), due = [plainSite];
while (due.length) {
  const address = due.shift();
  if (seen.has(address)) continue;
  seen.add(address);
  await visitor.goto(address);
  if (address.endsWith("map.html")) await visitor.waitForFunction(() => document.getElementById("map").dataset.state === "ready");
  const links = await visitor.evaluate(() => [...document.querySelectorAll("a[href]")].map((one) => new URL(one.getAttribute("href"), location.href).href.split("#")[0]));
  due.push(...links.filter((href) => href.startsWith(plainSite)));
  if (seen.size <= 40) {
    await rest.send("Runtime.evaluate", { expression: axe });
    const { violations } = await visitor.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html}`), [], address);
  }
}
assert.deepEqual(errors, []);
passed(`the exported site: ${seen.size} pages, all reached by their links`);
files.close();
await browser.close();
