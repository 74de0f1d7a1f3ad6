import { effect } from "@preact/signals";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { editor, live, runner } from "./engine/client";
import type { Models } from "./engine/types";
import { library } from "./library";
import { Asperities } from "./pages/asperities";
import { Compare } from "./pages/compare";
import { Experiment } from "./pages/experiment";
import { Explore } from "./pages/explore";
import { Fit } from "./pages/fit";
import { Gallery } from "./pages/gallery";
import { Learn } from "./pages/learn";
import { address, contact, failure, find, first, leftOut, models, notice, open, page, type Page, pages, pins, type Setting, text, typical, visit } from "./state";
import "./style.css";
import { choice, type Choice } from "./ui/theme";
import { keepPage, type Saved, savePage } from "./ui/take";

keepPage();

const titles: Record<Page, string> = {
  explore: "Explore", experiment: "Experiment", compare: "Compare", fit: "Fit", asperities: "Asperities", gallery: "Gallery", learn: "Learn",
};
const views: Record<Page, () => preact.JSX.Element> = {
  explore: Explore, experiment: Experiment, compare: Compare, fit: Fit, asperities: Asperities, gallery: Gallery, learn: Learn,
};

/// The state in a saved page, or the file of the command.
interface Given { file?: unknown; files?: unknown }
function saved(): Partial<Saved> & Given {
  try {
    const value: unknown = JSON.parse(document.getElementById("state")?.textContent ?? "null");
    return value && typeof value === "object" ? (value as Partial<Saved>) : {};
  } catch {
    return {};
  }
}

function App() {
  const [shared, setShared] = useState("");
  const now = page.value, View = views[now];
  useEffect(() => { document.title = `${titles[now]} · Bristle studio`; }, [now]);
  const share = async () => {
    const link = new URL(address(), location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      setShared("The link is copied.");
    } catch {
      setShared("The address of this page is the link.");
    }
  };
  if (failure.value) return <main class="card"><h1>Bristle studio</h1><p role="alert" class="problems">{failure.value}</p></main>;
  if (!models.value) return <main><p class="loading" role="status">Loading the friction models…</p></main>;
  return (
    <>
      <a class="skip" href="#content" onClick={(e) => { e.preventDefault(); document.getElementById("content")?.focus(); }}>Skip to the content</a>
      <header>
        <span class="brand"><Mark /> Bristle <b>studio</b></span>
        <nav aria-label="Pages">
          {pages.map((p) => <a key={p} href={`#/${p}`} aria-current={p === now ? "page" : undefined} onClick={(e) => { e.preventDefault(); notice.value = ""; setShared(""); page.value = p; }}>{titles[p]}</a>)}
        </nav>
        <span class="tools">
          <button type="button" class="small" onClick={() => void share()}>Link</button>
          <button type="button" class="small" onClick={savePage} title="This page with its state as one file">Save page</button>
          <label class="theme"><span class="said">Colours</span>
            <select value={choice.value} onChange={(e) => (choice.value = e.currentTarget.value as Choice)}>
              <option value="auto">Auto</option><option value="light">Light</option><option value="dark">Dark</option>
            </select>
          </label>
        </span>
      </header>
      <p class="notice" role="status">{shared || notice.value}</p>
      <main id="content" tabIndex={-1}>
        <h1 class="said">{titles[now]}</h1>
        <View />
      </main>
      <footer>Bristle {models.value.version}. Everything is computed in this page; no data leave it.</footer>
    </>
  );
}

/// Bristles between two surfaces.
function Mark() {
  return (
    <svg width="26" height="20" viewBox="0 0 26 20" aria-hidden="true">
      <path d="M1 3h24M1 17h24" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" />
      <path d="M5 17l3-7M10 17l3-7M15 17l3-7M20 17l3-7M7 3l-3 6M12 3l-3 6M17 3l-3 6M22 3l-3 6" stroke="var(--accent)" stroke-width="1.6" stroke-linecap="round" />
    </svg>
  );
}

/// The file of the command: a scenario opens in Experiment, a friction file in Explore.
async function given(content: string, files: unknown): Promise<void> {
  for (const f of Array.isArray(files) ? (files as { name?: unknown; text?: unknown }[]) : []) {
    if (typeof f.name !== "string" || typeof f.text !== "string") continue;
    for (const client of [editor, live, runner]) await client.file(f.name, new TextEncoder().encode(f.text).buffer as ArrayBuffer);
  }
  page.value = "experiment";
  try {
    const { json } = await live.ask<{ kind: string; model?: string; values?: Record<string, Setting>; tables?: string[]; rotational?: boolean }>({ do: "check", text: content });
    const m = json.kind === "friction" && json.model ? find(json.model) : undefined;
    if (!m) return;
    contact.value = typical(m, json.values);
    page.value = "explore";
    notice.value = leftOut(json.tables, json.rotational);
  } catch { /* Experiment shows the problems */ }
}

async function begin() {
  const place = document.getElementById("app")!;
  place.replaceChildren();
  render(<App />, place);
  try {
    models.value = (await live.ask<Models>({ do: "models" })).json;
  } catch (e) {
    failure.value = `The core of this page cannot be started: ${e instanceof Error ? e.message : String(e)}. A browser of 2023 or later is required.`;
    return;
  }
  const lugre = find("lugre");
  if (lugre) contact.value = typical(lugre, first);
  const start = library.examples.find((e) => e.name === "stick_slip") ?? library.examples[0];
  if (start) open(start.name, start.text);
  const state = saved();
  visit(location.hash || (typeof state.hash === "string" ? state.hash : ""), library.examples);
  if (typeof state.text === "string" && state.text) {
    open(typeof state.name === "string" ? state.name.replace(/\.toml$/, "") : "scenario", state.text, false);
    if (typeof state.file === "string" && !location.hash) await given(state.text, state.files);
  }
  if (Array.isArray(state.pins) && pins.value.length === 0) {
    pins.value = state.pins.flatMap((p) => {
      const m = find(String(p?.contact?.model));
      return m && p.contact.values && typeof p.contact.values === "object" ? [{ name: String(p.name).slice(0, 60), contact: typical(m, p.contact.values) }] : [];
    }).slice(0, 8);
  }
  // The address follows when a slider rests: a browser takes as long for it as the curves do. `own`: what the bar has, `next`: what follows.
  let own = location.hash, next = own, last = page.value, writing = 0;
  const write = () => {
    clearTimeout(writing);
    if (location.hash !== own || next === own) return; // another link has just been entered: its event follows
    own = next;
    history.replaceState(null, "", own);
  };
  effect(() => {
    void text.value;
    const now = address();
    if (page.value !== last) { // the back button returns to the previous page
      write();
      if (now !== location.hash) history.pushState(null, "", now);
      own = now;
      last = page.value;
    }
    next = now;
    clearTimeout(writing);
    writing = setTimeout(write, 150);
  });
  write();
  const follow = () => {
    own = next = location.hash;
    visit(own, library.examples);
  };
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (e) => e.preventDefault()); // a file dropped outside the fields must not replace the page
  addEventListener("hashchange", () => { if (location.hash !== own) follow(); });
  addEventListener("popstate", () => { if (location.hash !== own) { last = pages.find((p) => location.hash.startsWith(`#/${p}`)) ?? "explore"; follow(); } });
}
void begin();
