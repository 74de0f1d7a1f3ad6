// All checks of the page: the core in node, then the page in a browser. Usage: node run.mjs REPOSITORY
import { spawnSync } from "node:child_process";
import path from "node:path";
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
let status = 0;
for (const part of ["core.mjs", "slider.mjs", "browser.mjs"]) status = spawnSync(process.execPath, [path.join(here, part), ...process.argv.slice(2)], { stdio: "inherit" }).status || status;
process.exit(status);
