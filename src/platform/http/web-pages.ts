import { existsSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join, relative } from "node:path";
import express, { Router } from "express";

/** A folder of files for browsers, such as the console. */
export interface WebPages {
  folder: string;
  /** Creates the files; called before the first of them is sent, and again if it failed. */
  prepare?(): Promise<void>;
}

/** All content comes from the platform itself, and no other site may show it in a frame. */
const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const A_YEAR_MS = 31_536_000_000;

/** The console: one page with many addresses. Browsers cache only the files with a hash in their names. */
export function consolePages(pages: WebPages): Router {
  const router = pagesOf(pages);
  router.use((_request, response, next) => {
    response.set("Content-Security-Policy", CONSOLE_POLICY);
    next();
  });
  router.use(
    "/assets",
    express.static(join(pages.folder, "assets"), { immutable: true, maxAge: A_YEAR_MS }),
    // A missing asset must not be answered with the page.
    (_request, _response, next) => next("router"),
  );
  router.get("/{*page}", (_request, response) => {
    response.set("Cache-Control", "no-cache");
    response.sendFile("index.html", { root: pages.folder });
  });
  return router;
}

/** The documentation, each page with the policy that it was built with. */
export function docsPages({ folder, ...pages }: WebPages): Router {
  const router = pagesOf({ folder, ...pages });
  // By the file: a path has many spellings.
  const setHeaders = (response: ServerResponse, file: string) => {
    const policies = policiesIn(folder);
    const policy = policies[relative(folder, file)] ?? policies["*"];
    if (policy) response.setHeader("Content-Security-Policy", policy);
  };
  router.use(express.static(folder, { cacheControl: false, etag: true, redirect: false, setHeaders }));
  return router;
}

function pagesOf({ prepare }: WebPages): Router {
  const router = Router({ caseSensitive: true });
  router.use(({ originalUrl, baseUrl }, response, next) => {
    // Without the slash a browser would resolve the page's relative links against the parent folder.
    if (originalUrl.split("?", 1)[0] === baseUrl) response.redirect(308, `${baseUrl}/`);
    else next();
  });
  // Requests share one preparation; after a failure the next request starts another.
  let prepared: Promise<void> | undefined;
  router.use(async (_request, _response, next) => {
    prepared ??= prepare?.().catch((error) => {
      prepared = undefined;
      throw error;
    });
    await prepared;
    next();
  });
  return router;
}

function policiesIn(folder: string): Record<string, string> {
  const file = join(folder, "policies.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}
