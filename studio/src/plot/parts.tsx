// Files and values of a figure, the same for both kinds of plots.
import { useState } from "preact/hooks";
import { download, plain } from "../ui/files";
import type { Figure, View } from "./figure";
import { csv, png, svg } from "./svg";
import { short } from "./scale";

export function Saves({ figure, view }: { figure: Figure; view?: View | undefined }) {
  const name = plain(figure.title);
  return (
    <span class="saves" role="group" aria-label={`Save ${figure.title}`}>
      <button type="button" class="small" onClick={() => download(`${name}.svg`, svg(figure, view), "image/svg+xml")}>SVG</button>
      <button type="button" class="small" onClick={() => void png(figure, view).then((b) => download(`${name}.png`, b))}>PNG</button>
      <button type="button" class="small" onClick={() => download(`${name}.csv`, csv(figure), "text/csv")}>CSV</button>
    </span>
  );
}

/// Some values of every curve as a table, for screen readers and for copying.
export function Values({ figure }: { figure: Figure }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="values" onToggle={(e) => setOpen((e.currentTarget as HTMLDetailsElement).open)}>
      <summary>Values</summary>
      {open && figure.curves.map((c, i) => {
        const n = c.x.length, count = Math.min(n, 12), rows = Array.from({ length: count }, (_, k) => Math.round((k * (n - 1)) / Math.max(1, count - 1)));
        return (
          <table key={i}>
            <caption>{c.label}, {n} points</caption>
            <thead><tr><th scope="col">{figure.xlabel}</th><th scope="col">{figure.ylabel}</th></tr></thead>
            <tbody>{rows.map((r) => <tr key={r}><td>{short(c.x[r]!, 6)}</td><td>{short(c.y[r]!, 6)}</td></tr>)}</tbody>
          </table>
        );
      })}
    </details>
  );
}
