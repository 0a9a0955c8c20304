import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const OUT = fileURLToPath(new URL("../../dist/console", import.meta.url));

/**
 * `vite build src/console` writes what the platform serves at /console. `vite src/console` serves it while it is being changed, with
 * the calls sent on to a platform on PLATFORM_URL.
 */
export default defineConfig({
  base: "/console/",
  build: { outDir: OUT, emptyOutDir: true, target: "es2023", reportCompressedSize: false },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: {
    host: "127.0.0.1",
    proxy: { "/operations": process.env.PLATFORM_URL ?? "http://127.0.0.1:3000" },
  },
});
