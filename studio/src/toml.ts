// Small changes of a TOML text that leave the rest, with its comments, as it is.
import type { TreeNode } from "./engine/types";

export type Literal = string; // a value as written in TOML

export function nodeAt(root: TreeNode, path: string[]): TreeNode | undefined {
  let at: TreeNode | undefined = root;
  for (const key of path) at = at?.members?.find((m) => m.key === key);
  return at;
}

export const quoted = (text: string): Literal => JSON.stringify(text).replace(/\u007f/g, "\\u007f");

/// The end of the value that begins at `from` in its line, before blanks and a comment; undefined if it continues on the next line.
function valueEnd(line: string, from: number): number | undefined {
  let depth = 0, end = from;
  for (let i = from; i < line.length; ++i) {
    const c = line[i]!;
    if (c === '"' || c === "'") {
      if (line.startsWith(c.repeat(3), i)) return undefined;
      let k = i + 1;
      while (k < line.length && line[k] !== c) k += c === '"' && line[k] === "\\" ? 2 : 1;
      if (k >= line.length) return undefined;
      i = k;
    } else if (c === "[" || c === "{") ++depth;
    else if (c === "]" || c === "}") --depth;
    else if (c === "#") break;
    else if (c === " " || c === "\t" || c === "\r") continue;
    end = i + 1;
  }
  return depth === 0 ? end : undefined;
}

/// The value of the key that the line assigns; undefined if the line holds something else.
function parts(line: string, key: string): { from: number; to: number } | undefined {
  const head = /^\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=\s*/.exec(line);
  if (!head) return undefined;
  const name = head[1]!.replace(/^["']|["']$/g, "");
  if (name !== key && !name.endsWith(`.${key}`)) return undefined;
  const to = valueEnd(line, head[0].length);
  return to === undefined ? undefined : { from: head[0].length, to };
}

export function canEdit(text: string, node: TreeNode, key: string): boolean {
  const line = text.split("\n")[node.line - 1];
  return line !== undefined && parts(line, key) !== undefined;
}

/// Sets, adds or (undefined) removes a key of a section; "" is the file itself. Returns undefined if the text has no simple place for it.
export function assign(text: string, root: TreeNode, section: string, key: string, literal: Literal | undefined): string | undefined {
  const lines = text.split("\n"), path = section ? section.split(".") : [];
  const table = nodeAt(root, path), node = nodeAt(root, [...path, key]);
  if (node) {
    const line = lines[node.line - 1], at = line === undefined ? undefined : parts(line, key);
    if (!at || line === undefined) return undefined;
    if (literal === undefined) lines.splice(node.line - 1, 1);
    else lines[node.line - 1] = line.slice(0, at.from) + literal + line.slice(at.to);
    return lines.join("\n");
  }
  if (literal === undefined) return text;
  const entry = `${/^[\w-]+$/.test(key) ? key : quoted(key)} = ${literal}`;
  if (!section) {
    const firstTable = lines.findIndex((l) => /^\s*\[/.test(l));
    lines.splice(Math.max(0, firstTable < 0 ? lines.length : firstTable), 0, entry, ...(firstTable < 0 ? [] : [""]));
    return lines.join("\n");
  }
  if (!table) return `${text.replace(/\s*$/, "")}\n\n[${section}]\n${entry}\n`;
  if (table.braces) return undefined;
  const simple = (table.members ?? []).filter((m) => !m.members && !(m.items ?? []).some((i) => i.members)).map((m) => m.line);
  const header = lines.findIndex((l) => l.trim().replace(/\s*#.*$/, "") === `[${section}]`);
  if (header < 0) return undefined;
  const after = Math.max(header + 1, ...simple.filter((l) => canEdit(text, { line: l }, keyOf(lines[l - 1])) ));
  lines.splice(after, 0, entry);
  return lines.join("\n");
}
const keyOf = (line: string | undefined): string => (/^\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=/.exec(line ?? "")?.[1] ?? "").replace(/^["']|["']$/g, "");
