// Makes a picture of every view of a running page, at three widths, light and dark.
//
//     node pictures.mjs LINK FOLDER [WIDTHS] [THEMES]
//
// LINK is what `cm web --no-open` prints. The notes and sessions that are shown are the first that the pages link to.
import { browser } from "./browser.mjs";

const [, , link, folder, widths = "390,820,1440", themes = "light,dark"] = process.argv;
const context = await browser.newContext();
const page = await context.newPage();
await page.goto(link);
const base = new URL(page.url()).origin;

/** The first address on a page that begins with `root`. */
async function first(path, root) {
  await page.goto(base + path);
  return page.evaluate((root) => [...document.querySelectorAll("main a")].map((one) => one.getAttribute("href")).find((href) => href?.startsWith(root)), root);
}
const rule = await first("/playbook", "/note/"), note = await first("/search?q=kind:memory", "/note/"), session = await first("/sessions", "/sessions/");
const commits = await page.goto(`${base}/past?to=/`).then(() => page.evaluate(() => [...document.querySelectorAll("ol a[href*='as_of']")].map((one) => one.getAttribute("href"))));
const views = {
  home: "/", inbox: "/review", search: "/search?q=test&explain=1", playbook: "/playbook", map: "/graph", sessions: "/sessions", friction: "/charts",
  contradictions: "/conflicts", stale: "/stale", core: "/core", log: "/log", checks: "/checks", learned: "/learned?days=30", "earlier-times": "/past?to=/", "home-earlier": commits.at(-2) ?? "/",
  rule, note, "note-history": note?.replace("/note/", "/history/"), "note-edit": note?.replace("/note/", "/edit/"), session, new: "/new",
};
let made = 0;
for (const theme of themes.split(",")) for (const width of widths.split(",").map(Number)) {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  for (const [name, path] of Object.entries(views)) {
    if (!path) continue;
    await page.goto(base + path, { waitUntil: "networkidle" }).catch(() => {});
    // Parts that load after the page, and the first picture of the map.
    await page.waitForFunction(() => !document.querySelector("main [hx-trigger=load]") && (!document.getElementById("map") || document.getElementById("map").dataset.state), null, { timeout: 60000 }).catch(() => {});
    await page.waitForTimeout(name === "map" ? 600 : 100);
    await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png` });
    made += 1;
  }
}
console.log(`    ${made} pictures of ${Object.values(views).filter(Boolean).length} views`);
await browser.close();
