// Shows the views of `cm mcp` as MCP Apps: the official client finds them and the official host side frames them, in a
// real browser, in a sandbox without the rights of the page around it.
//
//     node apps.mjs CM VAULT [PICTURES]
//
// The environment is passed on to the server. With PICTURES, a folder, it writes a picture of every view there.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { RESOURCE_MIME_TYPE, getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";
import { build } from "esbuild";
import { browser } from "./browser.mjs";

const [, , cm, vault, pictures] = process.argv;
const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } };
const client = new Client({ name: "host", version: "1" }, { capabilities: { extensions } });
await client.connect(new StdioClientTransport({ command: cm, args: ["--vault", vault, "mcp"], env: process.env, stderr: "ignore" }));
const { tools } = await client.listTools();

// The host: a page that frames an app and answers it with the official bridge.
const source = `
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
window.start = async (html, call, theme) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style = "width: 100%; height: 860px; border: 0";
  document.body.replaceChildren(frame);
  const bridge = new AppBridge(null, { name: "host", version: "1" }, { serverResources: {}, openLinks: {} }, { hostContext: { theme } });
  bridge.onreadresource = ({ uri }) => window.read(uri);
  bridge.onopenlink = ({ url }) => { window.opened.push(url); return Promise.resolve({}); };
  bridge.onsizechange = ({ height }) => { window.height = height; };
  bridge.oninitialized = async () => { await bridge.sendToolInput({ arguments: call }); };
  window.opened = [];
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
};`;
const { outputFiles } = await build({ stdin: { contents: source, resolveDir: "." }, bundle: true, format: "iife", write: false, logLevel: "error" });

const page = await browser.newPage({ viewport: { width: 760, height: 900 } });
page.setDefaultTimeout(60000);
const problems = [];
page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
page.on("pageerror", (error) => problems.push(error.message));
page.on("request", (request) => { if (/^https?:/.test(request.url())) problems.push(`loads ${request.url()}`); });
await page.exposeFunction("read", (uri) => client.readResource({ uri }));
await page.setContent("<!doctype html><title>Host</title><body style='margin: 0'></body>");
await page.addScriptTag({ content: outputFiles[0].text });

const { resources } = await client.listResources();
const note = resources.find((resource) => resource.uri.startsWith("cm://note/")).uri.slice("cm://note/".length);
const calls = {
  memory_get: { call: { id: note }, shows: /Linked|Edges|History/i },
  memory_propose: { call: { kind: "rule" }, shows: /Inbox/ },
  memory_context: { call: { task: "fix the pool" }, shows: /Sessions/ },
};
for (const [name, { call, shows }] of Object.entries(calls)) for (const theme of ["light", "dark"]) {
  const uri = getToolUiResourceUri(tools.find((tool) => tool.name === name));
  const app = (await client.readResource({ uri })).contents[0];
  assert.equal(app.mimeType, RESOURCE_MIME_TYPE);
  await page.evaluate(([html, call, theme]) => window.start(html, call, theme), [app.text, call, theme]);
  const view = page.frameLocator("iframe");
  await view.locator("main h1").first().waitFor();
  const text = await view.locator("main").innerText();
  assert.match(text, shows, name);
  assert.equal(await view.locator("form, button").count(), 0, `${name}: an app only reads`);
  assert.equal(await view.locator("html").getAttribute("data-theme"), theme);
  await page.waitForFunction(() => window.height > 100);
  if (pictures) await page.screenshot({ path: `${pictures}/app-${name}-${theme}.png` });
}
// From the inbox to a note, without leaving the app.
await page.evaluate(([html, call]) => window.start(html, call, "light"), [(await client.readResource({ uri: "ui://cm/inbox" })).contents[0].text, {}]);
const view = page.frameLocator("iframe");
await view.locator('main a[href^="/note/"]').first().click();
await view.locator("main h1").first().waitFor();
await page.waitForFunction(() => true);
assert.deepEqual(problems, [], "no errors, and nothing loaded by itself");
console.log(`    ${Object.keys(calls).length} views as MCP Apps, in both themes, by the official client and host`);
await browser.close();
await client.close();
