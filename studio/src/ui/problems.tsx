import { Refusal } from "../engine/client";
import type { Problem } from "../engine/types";

export const problemsOf = (e: unknown): Problem[] =>
  e instanceof Refusal ? e.problems : [{ where: "", line: 0, text: e instanceof Error ? e.message : String(e) }];

export function Problems({ list, onLine }: { list: Problem[]; onLine?: (line: number) => void }) {
  return (
    <div role="alert" class="problems">
      {list.length > 0 && (
        <ul>
          {list.map((p, i) => (
            <li key={i}>
              {p.line > 0 && onLine ? <button type="button" class="link" onClick={() => onLine(p.line)}>line {p.line}</button> : p.line > 0 ? `line ${p.line}` : ""}
              {p.line > 0 ? ": " : ""}{p.text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
