import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express, { type RequestHandler } from "express";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { consolePages, docsPages } from "../../../src/platform/http/web-pages.ts";

let folder: string;
let server: Server | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "shiftpact-pages-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<h1>first page</h1>");
  await writeFile(join(folder, "assets", "index-abc.js"), "export {};");
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true });
});

async function serve(path: string, pages: RequestHandler) {
  server = express().use(path, pages).listen(0, "127.0.0.1");
  await new Promise((resolve) => server?.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return (asked: string) => fetch(`http://127.0.0.1:${port}${asked}`, { redirect: "manual" });
}

describe("the console's files", () => {
  it("are one page under every address, and the files that it loads", async () => {
    const ask = await serve("/console", consolePages({ folder }));
    for (const path of [
      "/console/",
      "/console/jobs/1",
      "/console/integrations?x=1",
      "/console/ASSETS/index-abc.js",
    ]) {
      const response = await ask(path);
      expect([response.status, await response.text()]).toEqual([200, "<h1>first page</h1>"]);
      expect(response.headers.get("content-security-policy")).toContain("script-src 'self';");
      expect(response.headers.get("cache-control")).toBe("no-cache");
    }
    const script = await ask("/console/assets/index-abc.js");
    expect(script.headers.get("cache-control")).toContain("immutable");
    expect(script.headers.get("content-type")).toContain("javascript");
  });

  it("are found without the slash at the end, too", async () => {
    const ask = await serve("/console", consolePages({ folder }));
    const response = await ask("/console?x=1");
    expect([response.status, response.headers.get("location")]).toEqual([308, "/console/"]);
  });

  it("include no other file, and none outside of their folder", async () => {
    const ask = await serve("/console", consolePages({ folder: join(folder, "assets", "..") }));
    for (const path of ["index-old.js", "..%2findex.html", "%00", "%c0%ae", ""]) {
      const { status, headers } = await ask(`/console/assets/${path}`);
      expect([path, status]).toEqual([path, 404]);
      expect(headers.get("content-type")).not.toContain("javascript");
    }
  });

  it("are prepared once, before the first is sent, and again after a failure", async () => {
    let tries = 0;
    const prepare = async () => {
      tries += 1;
      if (tries === 1) throw new Error("no room");
    };
    const ask = await serve("/console", consolePages({ folder, prepare }));
    expect((await ask("/console/")).status).toBe(500);
    expect((await Promise.all([ask("/console/"), ask("/console/jobs")])).map(({ status }) => status)).toEqual(
      [200, 200],
    );
    expect(tries).toBe(2);
  });
});

describe("the documentation's files", () => {
  it("are each sent with the policy that they were built with", async () => {
    await writeFile(join(folder, "api.html"), "api");
    const policies = { "*": "default-src 'self'", "api.html": "default-src 'self' 'sha256-x'" };
    await writeFile(join(folder, "policies.json"), JSON.stringify(policies));
    const ask = await serve("/docs", docsPages({ folder }));
    const policyOf = async (path: string) => (await ask(path)).headers.get("content-security-policy");
    expect(await policyOf("/docs/")).toBe(policies["*"]);
    for (const path of ["/docs/api.html", "/docs/%61pi.html", "/docs/x/..%2fapi.html"])
      expect([path, await policyOf(path)]).toEqual([path, policies["api.html"]]);
    expect(await (await ask("/docs/")).text()).toBe("<h1>first page</h1>");
    expect((await ask("/docs/missing.html")).status).toBe(404);
  });
});
