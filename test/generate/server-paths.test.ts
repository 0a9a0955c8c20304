import { connect } from "node:net";
import type { NextFunction, Request, Response } from "express";
import { describe, expect, it } from "vitest";
import { BOOK } from "./library.ts";
import { BOOKS, call, handlers, isProblem, ONE, useStub } from "./stub.ts";

const { library, router, serve } = useStub();

describe("paths", () => {
  it("respond to another method with 405 and the allowed methods", async () => {
    const { url } = await serve(router());
    const answer = await call(url + ONE, { method: "DELETE" });
    expect(answer).toMatchObject(isProblem(405, "method_not_allowed"));
    expect(answer.headers.get("allow")).toBe("GET, HEAD, PATCH");
    expect((await call(`${url}/books/newest`, { method: "PATCH" })).status).toBe(405);
    const options = await call(url + ONE, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, PATCH"]);
  });

  it("pass unknown paths on to the next handler", async () => {
    const after = (_request: Request, response: Response): void => {
      response.status(404).json({ mine: true });
    };
    const { url } = await serve(router(), after);
    expect(await call(`${url}/shelves`)).toMatchObject({ status: 404, body: { mine: true } });
  });

  it.each(["/books/%zz", "/books/%ff", "/books/%"])("respond with 400 to %s, not with 500", async (path) => {
    const { url } = await serve(router());
    expect(await call(url + path)).toMatchObject(isProblem(400, "validation_failed"));
  });

  it("respond with 400 to an invalid mount path through problemHandler", async () => {
    const { url } = await serve(["/tenants/:tenant", router()], library().problemHandler());
    expect((await call(`${url}/tenants/%ff/books`)).status).toBe(400);
  });

  it("treat names of Object's prototype as text", async () => {
    const { url } = await serve(router());
    expect((await call(`${url}/books?__proto__=1&constructor=2`)).status).toBe(200);
    const body = `{"__proto__":{"title":"x"},"constructor":1}`;
    expect((await call(url + BOOKS, { method: "POST", body })).status).toBe(400);
  });
});

describe("a handler", () => {
  it("may throw a problem", async () => {
    const { ProblemError } = library();
    const getBook = () => {
      throw new ProblemError(410, "book_lost", { detail: "It fell into the sea." }, { "Retry-After": "60" });
    };
    const answer = await call((await serve(router({ getBook }))).url + ONE);
    expect(answer).toMatchObject(isProblem(410, "book_lost"));
    expect(answer.headers.get("retry-after")).toBe("60");
  });

  it("may fail, and the error goes to the application", async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown, _request: Request, response: Response, _next: NextFunction): void => {
      errors.push(error);
      response.status(500).end();
    };
    const { url } = await serve(router({ getBook: () => Promise.reject(new Error("broken")) }), onError);
    expect((await call(url + ONE)).status).toBe(500);
    expect(errors).toEqual([new Error("broken")]);
  });

  it("may return a problem that the document declares", async () => {
    const body = { type: "about:blank", title: "Not Found", status: 404, code: "no_such_book" };
    const { url } = await serve(router({ getBook: () => ({ status: 404, body }) }));
    expect(await call(url + ONE)).toEqual(
      expect.objectContaining({ status: 404, type: "application/problem+json", body }),
    );
  });

  it.each([
    [
      "an invalid body",
      { status: 200, body: { ...BOOK, title: 1 } },
      [{ pointer: "/body/title", message: "must be of type string" }],
    ],
    ["no body", { status: 200 }, [{ pointer: "/body", message: "must be of type object" }]],
    ["an undeclared status", { status: 418, body: {} }, [{ pointer: "/status", message: "is not declared" }]],
    ["nothing", undefined, [{ pointer: "/status", message: "is missing" }]],
  ])("must match the document: %s becomes 500 without detail", async (_name, answered, errors) => {
    const invalid: unknown[] = [];
    const onInvalidResponse = ({ operationId }: { operationId: string }, found: unknown) =>
      invalid.push([operationId, found]);
    const { url } = await serve(router({ getBook: () => answered }, { onInvalidResponse }));
    const answer = await call(url + ONE);
    expect(answer.body).toEqual({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      code: "internal_error",
    });
    expect(invalid).toEqual([["getBook", errors]]);
  });

  it("need not match it when the validation is disabled", async () => {
    const getBook = () => ({ status: 200, body: { odd: true } });
    const { url } = await serve(router({ getBook }, { validateResponses: false }));
    expect(await call(url + ONE)).toMatchObject({ status: 200, body: { odd: true } });
  });

  it("is named by an error at the start when it is missing", () => {
    const incomplete = { handlers: { ...handlers(), getBook: undefined }, authenticate: () => undefined };
    expect(() => library().createRouter(incomplete)).toThrow("getBook");
  });
});

describe("a client that disconnects within a body", () => {
  it("does no harm", async () => {
    const { server, port, url } = await serve(router());
    const socket = connect(port, "127.0.0.1");
    const closed = new Promise((resolve) => server.once("connection", (side) => side.once("close", resolve)));
    socket.write(
      "POST /books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n" +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"title"',
      () => socket.destroy(),
    );
    await closed;
    expect((await call(url + ONE)).status).toBe(200);
  });
});
