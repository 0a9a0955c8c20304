import { join } from "node:path";
import type { ErrorRequestHandler, Router } from "express";
import { emit } from "../../scripts/emit/emit.ts";
import type { RouterOptions } from "../../src/runtime/server.ts";
import type { Validator } from "../../src/runtime/validator.ts";
import { folderInProject, folderWith, LIBRARY, openapi, run } from "./workspace.ts";

type Validators = Readonly<Record<string, Validator<unknown>>>;

/** The part of the fixture's generated code that the tests use; test/generate/types.test.ts holds its exact types. */
export interface Library {
  createRouter(options: RouterOptions<object, unknown>): Router;
  operationsTable: readonly {
    operationId: string;
    method: string;
    path: string;
    security: readonly string[];
  }[];
  createClient(options: { baseUrl: string }): Readonly<Record<string, (init?: object) => Promise<Answered>>>;
  schemas: Validators;
  events: Validators;
  messages: Readonly<Record<string, object>>;
  requests: Readonly<Record<string, Validators>>;
  responses: Readonly<Record<string, Validators>>;
  /** The runtime's own class: an import from its source would be another class. */
  ProblemError: new (
    status: number,
    code: string,
    details?: object,
    headers?: object,
  ) => Error;
  problemHandler: () => ErrorRequestHandler;
  remove(): void;
}
interface Answered {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** Generates the fixture into a separate folder and imports the result. */
export async function generateLibrary(): Promise<Library> {
  const { path, remove } = folderInProject();
  const { code, error } = await run("--spec", LIBRARY, "--out", path);
  if (code !== 0) throw new Error(error);
  const files = ["library/server.ts", "library/client.ts", "library/validators.js", "events/types.ts"];
  const modules = await Promise.all(files.map((file) => import(join(path, file))));
  const { schemas: events } = await import(join(path, "events/validators.js"));
  return Object.assign({}, ...modules, { events, remove });
}

/** A printed book that the fixture's schemas accept. */
export const BOOK = { bookId: "3f0c9a52-7f0e-4b0c-9a53-0d8f4f0f2a11", title: "Momo", pages: 304 };

/** Compiles schemas and loads the result. */
export async function compiled(schemas: object): Promise<Library["schemas"]> {
  const folder = folderWith({ "small.openapi.yaml": openapi({ schemas }) });
  const code = (await emit(folder)).get("small/validators.js") ?? "";
  return (await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`)).schemas;
}
