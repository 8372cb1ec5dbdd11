// What the page adds with JavaScript: theme, keys, selection, and changes as they happen. All views
// and changes work without it.
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const stored = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const theme = stored("theme");
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const isTyping = (element) => element?.matches?.("input:not([type=checkbox]), textarea, select, [contenteditable]");
  const isVisible = (element) => element.getClientRects().length > 0;

  function switchTheme() {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* private mode */ }
    document.dispatchEvent(new Event("theme"));
  }

  // The entry that keys act on: the focused one, else the last that was.
  let last = null;
  const entries = () => all("[data-entry]").filter(isVisible);
  const current = () => document.activeElement?.closest?.("[data-entry]") ?? (last?.isConnected ? last : null);
  function move(step) {
    const list = entries();
    const at = list.indexOf(current());
    const next = list[at < 0 ? (step > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + step, 0), list.length - 1)];
    if (next) { last = next; next.focus(); next.scrollIntoView({ block: "nearest" }); }
  }
  function press(key) {
    const entry = current();
    const target = (entry && entry.querySelector(`[data-key="${key}"]`)) ?? document.querySelector(`main > :not([data-entry]) [data-key="${key}"], .head [data-key="${key}"], [data-notice] [data-key="${key}"]`);
    if (!target) return false;
    const reason = key === "r" && entry?.querySelector(".reason");
    // A rejection asks for its reason first; Enter in that field sends it.
    if (reason && document.activeElement !== reason) { reason.focus(); return true; }
    target.click();
    // A choice that opens takes the focus.
    if (target.matches("summary") && target.parentElement.open) target.parentElement.querySelector("select, textarea, input:not([type=hidden]), button")?.focus();
    return true;
  }

  let afterG = false;
  document.addEventListener("keydown", (event) => {
    const key = event.key;
    if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "k") { event.preventDefault(); focusSearch(); return; }
    if ((event.ctrlKey || event.metaKey) && key === "Enter" && event.target.matches?.("textarea")) { event.target.form?.requestSubmit(event.target.form.querySelector("[data-save]") ?? undefined); return; }
    if (key === "Enter" && event.target.matches?.("[data-time] input")) { event.preventDefault(); event.target.form.requestSubmit(); return; }
    if (key === "Escape" && isTyping(event.target)) { event.target.blur(); current()?.focus(); return; }
    if (key === "Enter" && event.target.matches?.(".reason")) { event.preventDefault(); event.target.form.requestSubmit(event.target.form.querySelector('[value="reject"]')); return; }
    if (event.target.matches?.('#q, #find') && (key === "ArrowDown")) { event.preventDefault(); move(1); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (afterG) {
      afterG = false;
      const link = document.querySelector(`.side [data-key="${CSS.escape(key)}"]`);
      if (link) { event.preventDefault(); link.click(); }
      return;
    }
    const act = {
      "/": focusSearch, "?": () => document.getElementById("keys")?.showModal(), g: () => { afterG = true; setTimeout(() => { afterG = false; }, 1500); },
      j: () => move(1), k: () => move(-1), ArrowDown: current() && (() => move(1)), ArrowUp: current() && (() => move(-1)),
      o: () => open(), Enter: document.activeElement?.matches?.("[data-entry]") && (() => open()),
      x: () => current()?.querySelector("[data-select]")?.click(),
    }[key];
    if (act) { event.preventDefault(); act(); return; }
    if ("acdemprstuv".includes(key) && press(key)) event.preventDefault();
  });
  const open = () => current()?.querySelector("a[data-open], a.hit, a")?.click();
  function focusSearch() { const box = document.getElementById("q") ?? document.getElementById("find"); box?.focus(); box?.select(); }

  document.addEventListener("focusin", (event) => { const entry = event.target.closest?.("[data-entry]"); if (entry) last = entry; });
  document.addEventListener("change", (event) => { if (event.target.matches?.("[data-select]")) countSelected(); });
  function countSelected() {
    const status = document.querySelector("[data-selected]"), n = all("[data-select]:checked").length;
    if (status) status.textContent = n === 1 ? "1 selected" : `${n} selected`;
  }

  // After a decision, the keys go on with the entry that takes the place of the decided one.
  document.addEventListener("submit", (event) => {
    const entry = event.target.closest?.("[data-entry]");
    if (entry) sessionStorage.setItem("entry", JSON.stringify([location.pathname + location.search, entries().indexOf(entry)]));
  });
  function goOn() {
    const [address, at] = JSON.parse(sessionStorage.getItem("entry") ?? "[]");
    sessionStorage.removeItem("entry");
    if (address !== location.pathname + location.search || !document.querySelector("[data-notice]")) return;
    const list = entries();
    list[Math.min(at, list.length - 1)]?.focus();
  }

  // Titles that fit what is typed into a field for a note.
  let asked = 0;
  document.addEventListener("input", async (event) => {
    const field = event.target;
    if (!field.matches?.("[data-suggest]") || field.value.length < 2) return;
    const number = asked += 1;
    const reply = await fetch(`/graph/find?q=${encodeURIComponent(field.value)}`).catch(() => null);
    if (!reply?.ok || number !== asked) return;
    const { notes } = await reply.json();
    field.list?.replaceChildren(...notes.slice(0, 12).map((note) => new Option(note.title, note.id)));
  });

  // The slider of a history shows one version at a time, its button all of them.
  document.addEventListener("input", (event) => { const form = event.target.closest?.("[data-versions]"); if (form) showVersion(form, Number(event.target.value)); });
  document.addEventListener("click", (event) => { const form = event.target.closest?.("[data-versions] button")?.form; if (form) showVersion(form, null); });
  function showVersion(form, number) {
    const versions = all("[data-version]").reverse(), range = form.querySelector("input"), chosen = versions[number - 1];
    for (const version of versions) version.hidden = number !== null && version !== chosen;
    form.querySelector("output").textContent = chosen?.querySelector("h2").innerText ?? "";
    if (chosen) range.setAttribute("aria-valuetext", chosen.dataset.version);
  }

  // The slider over the history: it names the time while it moves, and shows the page of that time when it is let go
  // or at Enter.
  document.addEventListener("input", ({ target }) => {
    const form = target.matches?.("input[type=range]") && target.closest("[data-time]");
    if (!form) return;
    const times = form.elements.as_of;
    times.selectedIndex = Number(target.value);
    const label = times.selectedOptions[0].text;
    form.querySelector("output").textContent = label;
    target.setAttribute("aria-valuetext", label);
  });
  document.addEventListener("pointerup", ({ target }) => {
    const form = target.matches?.("input[type=range]") && target.closest("[data-time]");
    // The value changes after the pointer is up.
    if (form) setTimeout(() => { if (target.value !== target.defaultValue) form.requestSubmit(); });
  });

  // Text that is not saved yet is not lost by closing the page or by a change elsewhere.
  let isDirty = false;
  document.addEventListener("input", (event) => { if (event.target.matches?.("[data-guard]")) isDirty = true; });
  document.addEventListener("submit", () => { isDirty = false; });
  addEventListener("beforeunload", (event) => { if (isDirty) event.preventDefault(); });

  // Changes as they happen: the content is replaced in place, where nobody is typing or has opened a form.
  let waits = false;
  async function refresh() {
    if (isDirty || document.querySelector("[data-guard]") || document.querySelector("[data-still]") || all("[data-select]:checked").length) return;
    if (isTyping(document.activeElement) || document.querySelector("details.more[open]")) { waits = true; return; }
    waits = false;
    const notice = document.querySelector("[data-notice]");
    await window.htmx?.ajax("GET", location.pathname + location.search, { target: "#main", select: "#main", swap: "outerMorph" });
    // What a change came to, with its undo, stays until the next page.
    if (notice && !document.querySelector("[data-notice]")) document.getElementById("main").prepend(notice);
  }
  document.addEventListener("focusout", () => { if (waits) setTimeout(refresh, 50); });
  document.addEventListener("toggle", () => { if (waits) refresh(); }, true);
  // A browser keeps few connections to a host, so only a page that is seen holds one.
  let events = null, lost = null;
  function follow() {
    if (events || document.hidden) return;
    let timer = 0;
    events = new EventSource("/events");
    events.addEventListener("change", () => { clearTimeout(timer); timer = setTimeout(refresh, 80); });
    events.onerror = () => {
      lost ??= Object.assign(document.createElement("p"), { className: "lost", role: "status", textContent: "The connection to cm is lost. Trying again…" });
      document.body.append(lost);
    };
    events.onopen = () => { if (lost) { lost.remove(); lost = null; refresh(); } };
  }
  function leave() { events?.close(); events = null; }
  function followWhileSeen() {
    follow();
    addEventListener("pagehide", leave);
    addEventListener("pageshow", (event) => { if (event.persisted) { follow(); refresh(); } });
    document.addEventListener("visibilitychange", () => { if (document.hidden) leave(); else { follow(); refresh(); } });
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelector("[data-theme-switch]")?.addEventListener("click", switchTheme);
    goOn();
    // On a narrow screen, the views and the drawing around a note are wider than the page.
    document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
    for (const drawing of all(".local")) drawing.scrollLeft = (drawing.scrollWidth - drawing.clientWidth) / 2;
    const query = document.getElementById("q");
    if (query && !query.value) query.focus();
    if (document.querySelector(".side") && !document.querySelector("[data-still]") && location.protocol.startsWith("http")) followWhileSeen();
  });
})();
