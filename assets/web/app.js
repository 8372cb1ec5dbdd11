// Shows a reading view inside the window of an agent or an editor (MCP Apps, revision 2026-01-26). It loads nothing by
// itself: its host, the window around it, reads the views from the server.
(() => {
  const root = document.documentElement;
  const main = document.querySelector("main");
  const waiting = new Map();
  let last = 0;

  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (method, params = {}) => send({ method, params });
  const ask = (method, params) => new Promise((resolve, reject) => {
    last += 1;
    waiting.set(last, { resolve, reject });
    send({ id: last, method, params });
  });

  // The views, by the call of the tool that the app belongs to.
  const ADDRESSES = {
    "note-view": (call) => call.id && `/note/${encodeURIComponent(call.id)}`,
    "inbox-view": () => "/review",
    "receipts-view": (call) => (call.session ? `/sessions/${encodeURIComponent(call.session)}` : "/sessions"),
  };
  // What needs the page's own server: forms, scripts, pictures, and links to forms.
  const FOREIGN = 'form, script, button, img[src^="/"], a[href^="/edit/"], a[href^="/new"], a[href^="/act/"], [hx-get]:empty';

  function fail(message) {
    main.replaceChildren(Object.assign(document.createElement("p"), { className: "banner bad", textContent: message }));
  }

  async function show(address) {
    main.setAttribute("aria-busy", "true");
    try {
      const { contents } = await ask("resources/read", { uri: `ui://cm/page${address}` });
      const page = new DOMParser().parseFromString(contents[0].text, "text/html").querySelector("main");
      page.querySelectorAll(FOREIGN).forEach((element) => element.remove());
      main.replaceChildren(...page.childNodes);
      scrollTo(0, 0);
    } catch (error) {
      fail(error.message);
    }
    main.removeAttribute("aria-busy");
  }

  function adapt(context) {
    if (context?.theme === "dark" || context?.theme === "light") root.dataset.theme = context.theme;
  }

  const handlers = {
    ping: () => ({}),
    "ui/resource-teardown": () => ({}),
    "ui/notifications/host-context-changed": adapt,
    "ui/notifications/tool-input": ({ arguments: call }) => {
      const address = ADDRESSES[root.dataset.app]?.(call ?? {});
      if (address) show(address);
    },
  };

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    if (data.method === undefined) {
      const call = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) call?.reject(new Error(data.error.message)); else call?.resolve(data.result);
      return;
    }
    const handler = handlers[data.method];
    const result = handler?.(data.params ?? {});
    if (data.id === undefined) return;
    send(handler ? { id: data.id, result } : { id: data.id, error: { code: -32601, message: `unknown method ${data.method}` } });
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link) return;
    const address = link.getAttribute("href");
    if (address.startsWith("#")) return;
    event.preventDefault();
    if (address.startsWith("/")) show(address);
    else if (/^https?:/.test(address)) ask("ui/open-link", { url: link.href }).catch(() => {});
  });

  new ResizeObserver(() => notify("ui/notifications/size-changed", {
    width: Math.ceil(root.scrollWidth), height: Math.ceil(root.scrollHeight),
  })).observe(main);

  ask("ui/initialize", {
    appInfo: { name: "cm", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26",
  }).then((host) => {
    adapt(host.hostContext);
    notify("ui/notifications/initialized");
  }, (error) => fail(error.message));
})();
