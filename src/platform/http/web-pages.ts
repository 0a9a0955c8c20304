import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import express, { type RequestHandler, Router } from "express";

/** A folder of files for people, such as the console. */
export interface WebPages {
  folder: string;
  /** Sees to it that the files are there; called before the first of them is sent, and again when it failed. */
  prepare?(): Promise<void>;
}

/** Everything comes from the platform itself, and nothing of another one may show it in a frame. */
const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const A_YEAR_MS = 31_536_000_000;

/** The console: one page with many addresses; only what carries a hash in its name is kept by browsers. */
export function consolePages(pages: WebPages): Router {
  const router = pagesOf(pages);
  router.use((_request, response, next) => {
    response.set("Content-Security-Policy", CONSOLE_POLICY);
    next();
  });
  router.use(
    "/assets",
    express.static(join(pages.folder, "assets"), { immutable: true, maxAge: A_YEAR_MS }),
    // Not the page: what is loaded as a script must not be one.
    (_request, _response, next) => next("router"),
  );
  router.get("/{*page}", (_request, response) => {
    response.set("Cache-Control", "no-cache");
    response.sendFile("index.html", { root: pages.folder });
  });
  return router;
}

/** The documentation, each page with the policy that it was built with. */
export function docsPages(pages: WebPages): Router {
  const router = pagesOf(pages);
  router.use((request, response, next) => {
    const policies = policiesIn(pages.folder);
    const policy = policies[request.path.slice(1)] ?? policies["*"];
    if (policy) response.set("Content-Security-Policy", policy);
    next();
  });
  router.use(express.static(pages.folder, { cacheControl: false, etag: true, redirect: false }));
  return router;
}

function pagesOf({ prepare }: WebPages): Router {
  const router = Router();
  router.use(({ originalUrl, baseUrl }, response, next) => {
    // Without the slash a browser would look for what the page names beside it, not within it.
    if (originalUrl.split("?", 1)[0] === baseUrl) response.redirect(308, `${baseUrl}/`);
    else next();
  });
  if (prepare) router.use(once(prepare));
  return router;
}

/** Whoever comes while it is under way waits with the first; a failure is tried again by the next. */
function once(prepare: () => Promise<void>): RequestHandler {
  let prepared: Promise<void> | undefined;
  return async (_request, _response, next) => {
    prepared ??= prepare().catch((error) => {
      prepared = undefined;
      throw error;
    });
    await prepared;
    next();
  };
}

function policiesIn(folder: string): Record<string, string> {
  const file = join(folder, "policies.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}
