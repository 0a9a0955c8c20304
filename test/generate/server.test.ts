import type { Request, RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { BOOK } from "./library.ts";
import { BOOKS, type Call, call, isProblem, ONE, useStub } from "./stub.ts";

const { library, router, serve } = useStub();

describe("a request that fits the document", () => {
  it("reaches its handler decoded, and the response has the declared content type", async () => {
    const requests: Record<string, unknown>[] = [];
    const listBooks = (request: Record<string, unknown>, context: unknown) => {
      requests.push({ ...request, raw: undefined, context });
      return { status: 200, body: { items: [] }, headers: { "X-Total": "0" } };
    };
    const { url } = await serve(router({ listBooks }));
    const query = "?limit=5&tag=a&tag=b%20c&years=1999&years=2001&lent=true&unknown=1";
    const trace = "3f0c9a52-7f0e-4b0c-9a53-0d8f4f0f2a11";
    const answer = await call(`${url}${BOOKS}${query}`, { headers: { "x-trace": trace } });
    expect(answer).toMatchObject({ status: 200, type: "application/json", body: { items: [] } });
    expect(answer.headers.get("x-total")).toBe("0");
    expect(requests).toEqual([
      {
        path: {},
        query: { limit: 5, tag: ["a", "b c"], years: [1999, 2001], lent: true },
        headers: { "X-Trace": trace },
        body: undefined,
        raw: undefined,
        context: { reader: "Momo" },
      },
    ]);
  });

  it.each([
    ["GET", BOOKS, undefined, 200],
    ["POST", BOOKS, JSON.stringify(BOOK), 201],
    ["GET", ONE, undefined, 200],
    ["PATCH", ONE, JSON.stringify({ title: "Jim" }), 204],
    ["PATCH", ONE, undefined, 204],
    ["PUT", `${ONE}/return/`, undefined, 200],
    ["PUT", `${ONE}/return`, undefined, 200],
    ["GET", "/books/newest", undefined, 204],
    ["HEAD", BOOKS, undefined, 200],
  ])("%s %s", async (method, path, body, status) => {
    const { url } = await serve(router());
    expect((await call(url + path, body === undefined ? { method } : { method, body })).status).toBe(status);
  });

  it("may be below a path parameter, which the hook receives", async () => {
    const tenants: unknown[] = [];
    const authenticate = ({ params }: Request) => tenants.push(params.tenant);
    const tenant = router({}, { authenticate });
    const { url } = await serve(["/tenants/:tenant", tenant], tenant);
    expect((await call(`${url}/tenants/t1${ONE}`)).body).toEqual(BOOK);
    expect((await call(`${url}${ONE}`)).body).toEqual(BOOK);
    expect(tenants).toEqual(["t1", undefined]);
  });

  it("works through the generated client", async () => {
    const { url: baseUrl } = await serve(router());
    const { data } =
      (await library()
        .createClient({ baseUrl })
        .getBook?.({
          params: { path: { bookId: BOOK.bookId } },
          headers: { authorization: "Bearer good" },
        })) ?? {};
    expect(data).toEqual(BOOK);
    const refused = await library().createClient({ baseUrl }).listBooks?.();
    expect(refused?.error).toMatchObject({ code: "unauthorized" });
  });

  it.each(["<html>Bad gateway</html>", ""])(
    "has the text of an error that is not a problem: %j",
    async (text) => {
      const { url: baseUrl } = await serve(
        ((_request, response) => void response.status(502).end(text)) satisfies RequestHandler,
      );
      const result = await library().createClient({ baseUrl }).listBooks?.();
      expect(result).toMatchObject({ status: 502, error: { text } });
    },
  );
});

describe("authentication", () => {
  it("runs before the body is read", async () => {
    const { url } = await serve(router());
    const answer = await call(url + BOOKS, { method: "POST", body: "{", headers: { authorization: "" } });
    expect(answer).toMatchObject(isProblem(401, "unauthorized"));
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("runs for exactly the operations with security", async () => {
    for (const { method, path, security } of library().operationsTable) {
      const { url } = await serve(router());
      const answer = await call(url + path.replace("{bookId}", BOOK.bookId), {
        method,
        headers: { authorization: "" },
      });
      expect([path, answer.status === 401]).toEqual([path, security.length > 0]);
    }
  });
});

describe("a request that does not fit", () => {
  it("gets every fault in one response, by JSON pointer and without its values", async () => {
    const { url } = await serve(router());
    const query = "?limit=1000&lent=maybe&years=1999&years=soon&tag=";
    const answer = await call(`${url}${BOOKS}${query}`, { headers: { "x-trace": "secret" } });
    expect(answer).toMatchObject(isProblem(400, "validation_failed"));
    expect(answer.body.errors).toEqual([
      { pointer: "#/query/limit", message: "must be at most 100" },
      { pointer: "#/query/tag/0", message: "must have at least 1 character" },
      { pointer: "#/query/years/1", message: "must be of type integer" },
      { pointer: "#/query/lent", message: "must be of type boolean" },
      { pointer: "#/headers/X-Trace", message: "must be a valid uuid" },
    ]);
    expect(JSON.stringify(answer.body)).not.toMatch(/secret|soon|maybe/);
  });

  it("gets faults of path and body together, those of the body as pointers into it", async () => {
    const { url } = await serve(router());
    const body = JSON.stringify({ title: "", since: "2023-02-29T00:00:00Z" });
    const answer = await call(`${url}/books/7`, { method: "PATCH", body });
    expect(answer.body.errors).toEqual([
      { pointer: "#/path/bookId", message: "must be a valid uuid" },
      { pointer: "/title", message: "must have at least 1 character" },
      { pointer: "/since", message: "must be a valid date-time" },
    ]);
  });

  it.each<[string, Call, number, string]>([
    [
      "a single parameter given twice",
      { method: "GET", headers: { path: "/books?limit=1&limit=2" } },
      400,
      "validation_failed",
    ],
    ["an empty number", { method: "GET", headers: { path: "/books?limit=" } }, 400, "validation_failed"],
    ["no body where one is needed", { method: "POST" }, 400, "validation_failed"],
    ["malformed JSON", { method: "POST", body: '{"title": ' }, 400, "malformed_json"],
    ["no UTF-8", { method: "POST", body: Buffer.from([0x22, 0xff, 0x22]) }, 400, "malformed_json"],
    ["a wrong type at the top", { method: "POST", body: "[]" }, 400, "validation_failed"],
    [
      "another media type",
      { method: "POST", body: "{}", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    [
      "another charset",
      { method: "POST", body: "{}", headers: { "content-type": "application/json; charset=latin1" } },
      415,
      "unsupported_media_type",
    ],
    [
      "an encoded body",
      { method: "POST", body: "{}", headers: { "content-encoding": "gzip" } },
      415,
      "unsupported_media_type",
    ],
    ["a body over 64 kB", { method: "POST", body: `"${"a".repeat(65_536)}"` }, 413, "payload_too_large"],
  ])("%s", async (_name, { headers: { path = BOOKS, ...headers } = {}, ...rest }, status, code) => {
    const { url } = await serve(router());
    expect(await call(url + path, { ...rest, headers })).toMatchObject(isProblem(status, code));
  });

  it("may be as large as the limit, but not larger, also without a Content-Length", async () => {
    const { url } = await serve(router({}, { bodyLimit: 200 }));
    const sized = (size: number) => {
      const bare = JSON.stringify({ ...BOOK, note: "" }).length;
      return JSON.stringify({ ...BOOK, note: "a".repeat(size - bare) });
    };
    expect((await call(url + BOOKS, { method: "POST", body: sized(200) })).status).toBe(201);
    expect((await call(url + BOOKS, { method: "POST", body: sized(201) })).status).toBe(413);
    const body = new Blob([sized(201)]).stream();
    const headers = { authorization: "Bearer good", "content-type": "application/json" };
    const init = { method: "POST", headers, body, duplex: "half" };
    expect((await fetch(url + BOOKS, init)).status).toBe(413);
  });

  it("gets the trace id of the application in its response", async () => {
    const { url } = await serve(router({}, { traceId: ({ headers }: Request) => headers["x-id"] }));
    expect((await call(`${url}/books/7`, { headers: { "x-id": "t-1" } })).body.traceId).toBe("t-1");
  });
});
