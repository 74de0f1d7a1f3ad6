import { defineConfig } from "vite";

// The core of the page as a module for node: dist/../node-core.mjs.
export default defineConfig({
  build: { target: "es2022", outDir: ".", emptyOutDir: false, lib: { entry: "src/engine/core.ts", formats: ["es"], fileName: () => "node-core.mjs" }, minify: false },
});
