// Makes one file of the built page: style, script, a policy that allows this script alone, examples and figures of the papers. The core
// stays next to it, compressed: `bristle studio` puts it in.
// Usage: node pack.mjs DIST REPOSITORY CORE.wasm OUT-FOLDER
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const [dist, root, wasm, out] = process.argv.slice(2);
const read = (file) => fs.readFileSync(file, "utf8");
const value = (text, key) => {
  const found = new RegExp(`^${key}\\s*=\\s*("(?:[^"\\\\]|\\\\.)*")`, "m").exec(text);
  return found ? JSON.parse(found[1]) : "";
};

const files = (folder) => fs.readdirSync(folder).filter((f) => f.endsWith(".toml")).sort();
const examples = files(path.join(root, "examples/scenarios"))
  .map((f) => ({ name: f.replace(".toml", ""), text: read(path.join(root, "examples/scenarios", f)) }))
  .filter((e) => !/^\s*file\s*=/m.test(e.text)) // scenarios that need other files
  .map((e) => ({ name: e.name, title: value(e.text, "title") || e.name, text: e.text }));

// A figure file without the sections that only `bristle papers` reads is a scenario. Those that are none alone, because their variants
// complete them, are left out by the list of the caller.
const only = /^\[\[?(paper|variant|table|sweep)(\.|\])/;
function scenario(text) {
  let keep = true;
  return text.split("\n").filter((line) => {
    if (/^\[/.test(line)) keep = !only.test(line);
    return keep;
  }).join("\n");
}
const papers = fs.readdirSync(path.join(root, "papers")).sort().filter((p) => fs.existsSync(path.join(root, "papers", p, "paper.toml")));
let gallery = papers.map((p) => {
  const about = read(path.join(root, "papers", p, "paper.toml"));
  const figures = files(path.join(root, "papers", p)).filter((f) => f !== "paper.toml").map((f) => {
    const text = read(path.join(root, "papers", p, f));
    return { name: f.replace(".toml", ""), title: value(text, "figure") || value(text, "title"), caption: value(text, "caption"), text: scenario(text), slow: /^slow\s*=\s*true/m.test(text) };
  }).filter((f) => !/^\s*file\s*=/m.test(f.text) && !f.slow).map(({ slow: _, ...f }) => f);
  return { name: p, title: value(about, "title"), authors: value(about, "authors"), reference: value(about, "reference"), figures };
});

// Only figures that the core accepts as scenarios.
const { Core } = await import(path.resolve(dist, "../node-core.mjs"));
const core = await Core.start(await WebAssembly.compile(fs.readFileSync(wasm)));
const accepted = (text) => !core.call({ do: "check", text }).json.problems;
gallery = gallery.map((p) => ({ ...p, figures: p.figures.filter((f) => accepted(f.text)) })).filter((p) => p.figures.length);

const inert = (data) => JSON.stringify(data).replace(/</g, "\\u003c");
let html = read(path.join(dist, "index.html"));
let script = "", style = "";
html = html.replace(/<script type="module"[^>]*src="([^"]+)"[^>]*><\/script>/, (_, src) => {
  script = read(path.join(dist, src)).replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
  return "";
});
html = html.replace(/<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/, (_, href) => {
  style = read(path.join(dist, href));
  return "<!--style-->";
});
if (!script || !style) throw new Error("pack: the built page has no script or no style");
const hash = createHash("sha256").update(script).digest("base64");
const policy = `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'`;
const put = (mark, text) => {
  if (!html.includes(mark)) throw new Error(`pack: the page has no ${mark}`);
  html = html.replace(mark, () => text);
};
put("<!--policy-->", `<meta http-equiv="Content-Security-Policy" content="${policy}">`);
put("<!--style-->", `<style>${style}</style>`);
put('{"examples":[],"gallery":[]}', inert({ examples, gallery }));
put("</body>", `<script type="module">${script}</script>\n</body>`);

fs.mkdirSync(out, { recursive: true });
const packed = zlib.gzipSync(fs.readFileSync(wasm), { level: 9 });
fs.writeFileSync(path.join(out, "core.wasm.gz"), packed);
fs.writeFileSync(path.join(out, "page.html"), html);
const whole = html.replace('id="core"></script>', () => `id="core">${packed.toString("base64")}</script>`);
const kB = (n) => `${(n / 1e3).toFixed(0)} kB`;
console.log(`studio: page ${kB(html.length)}, core ${kB(fs.statSync(wasm).size)}, ${kB(packed.length)} compressed; one file ${kB(whole.length)}, ${kB(zlib.gzipSync(whole).length)} compressed; ${examples.length} examples, ${gallery.reduce((n, p) => n + p.figures.length, 0)} figures`);
