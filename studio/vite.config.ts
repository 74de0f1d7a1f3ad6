import { defineConfig } from "vite";

// One script and one style sheet, which pack.mjs puts into the page. The worker is a classic one ("iife"): a module worker from a
// blob does not start in a page that was opened from a disk.
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "iife" },
  build: { target: "es2022", assetsInlineLimit: 1e9, cssCodeSplit: false, modulePreload: false },
});
