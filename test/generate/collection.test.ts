import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundle } from "../../scripts/emit/bundle.ts";
import { emit } from "../../scripts/emit/emit.ts";
import { documentFiles, yamlFiles } from "../../scripts/emit/files.ts";
import { operationsOf } from "../../scripts/emit/openapi/paths.ts";
import { accepts31, readYaml } from "./verdicts.ts";
import { LIBRARY, PROJECT } from "./workspace.ts";

interface Request {
  method: string;
  auth?: { type: string };
  header: { key: string; value: string; disabled?: true }[];
  url: { raw: string; path: string[]; query?: { key: string; value: string; disabled?: true }[] };
  body?: { raw: string };
}
interface Item {
  name: string;
  item?: Item[];
  request?: Request;
  response?: { code: number; body: string }[];
}
interface Collection {
  info: { name: string; schema: string };
  auth: object;
  item: Item[];
  variable: { key: string; value: string }[];
}

const SPEC = join(PROJECT, "spec");
const WRITTEN = join(PROJECT, "generated/spec");
const NAMES = ["provider", "platform", "operations"] as const;
const textOf = (name: string) => readFileSync(join(WRITTEN, `${name}.postman_collection.json`), "utf8");
const read = (name: string): Collection => JSON.parse(textOf(name));

type Asked = Required<Pick<Item, "name" | "request" | "response">>;

function requestsIn(items: readonly Item[]): Asked[] {
  return items.flatMap(({ name, item = [], request, response = [] }) =>
    request ? [{ name, request, response }] : requestsIn(item),
  );
}

const rawsOf = (items: readonly Item[] = []) => [
  ...new Set(requestsIn(items).map(({ request }) => `${request.method} ${request.url.raw.split("?")[0]}`)),
];

function operationsIn(name: string) {
  const file = documentFiles(SPEC).find((each) => each.name === name);
  if (file === undefined) throw new Error(`no document ${name}`);
  return operationsOf(bundle(file, yamlFiles(SPEC)));
}

describe("a Postman collection", () => {
  it.each(NAMES)("names format 2.1, requires a token and declares each variable once: %s", (name) => {
    const { info, auth, variable } = read(name);
    expect(info.schema).toBe("https://schema.getpostman.com/json/collection/v2.1.0/collection.json");
    expect(auth).toMatchObject({ type: "bearer", bearer: [{ key: "token", value: "{{token}}" }] });
    const declared = variable.map(({ key }) => key);
    const used = new Set([...textOf(name).matchAll(/\{\{(\w+)\}\}/g)].map(([, key]) => key));
    expect([...declared].sort()).toEqual([...used].sort());
    expect(declared).toEqual(expect.arrayContaining(["baseUrl", "token", "providerId"]));
  });

  it.each(NAMES)("has a request for every operation: %s", (name) => {
    const { item } = read(name);
    const folders = name === "provider" ? item.map(({ item: inside }) => inside) : [item];
    const prefixes = {
      provider: ["/providers/{{providerId}}", ""],
      platform: [""],
      operations: ["/operations/v1"],
    };
    expect(folders).toHaveLength(prefixes[name].length);
    folders.forEach((folder, index) => {
      const expected = operationsIn(name).map(({ method, path }) => {
        const below = `${prefixes[name][index]}${path.replaceAll("{", "{{").replaceAll("}", "}}")}`;
        return `${method.toUpperCase()} {{baseUrl}}${below}`;
      });
      expect(rawsOf(folder).sort()).toEqual(expected.sort());
    });
  });

  it("sends the organisation in the address or in both headers", () => {
    const [byPath, byHeader] = read("provider").item.map(({ item }) => requestsIn(item ?? []));
    const organisation = ({ request }: Asked) =>
      request.header.filter(({ key }) => /Provider-Id/.test(key)).map(({ key, value }) => `${key}: ${value}`);
    for (const each of byPath ?? []) expect(organisation(each)).toEqual([]);
    for (const each of byHeader ?? []) {
      expect(organisation(each)).toEqual([
        "X-Provider-Id: {{providerId}}",
        "X-Platform-Provider-Id: {{providerId}}",
      ]);
    }
    expect([byPath?.length, byHeader?.length]).toEqual([12, 12]);
  });

  it("lists parameters without an example as disabled", () => {
    const found = requestsIn(read("provider").item).find(({ name }) => name === "Find candidates");
    expect(found?.request.url.query).toMatchObject([
      { key: "personalNumber", value: expect.stringMatching(/^\d{12}$/) },
      { key: "name", value: "", disabled: true },
    ]);
    expect(found?.request.url.query?.[0]).not.toHaveProperty("disabled");
  });

  it("requires no token where none is needed", () => {
    const open = requestsIn(read("platform").item).filter(({ request }) => request.auth?.type === "noauth");
    expect(open.map(({ request }) => request.url.path.join("/"))).toEqual(["health/live", "health/ready"]);
  });

  it("has each example of a body, and those of the responses", () => {
    const { item } = read("platform");
    const events = requestsIn(item).flatMap(({ request }) =>
      request.body ? [JSON.parse(request.body.raw)] : [],
    );
    expect(events.map(({ event }) => event)).toEqual(
      ["create", "update", "delete", "create", "update", "delete"].map((each) => `shift.${each}`),
    );
    for (const event of events)
      expect(event).toMatchObject({ providerId: "{{providerId}}", content: { shiftId: "{{shiftId}}" } });
    const [read1] = requestsIn(read("provider").item);
    expect(read1?.response.map(({ code, body }) => [code, Object.keys(JSON.parse(body)).length])).toEqual([
      [200, 9],
      [200, 12],
      ...[400, 401, 403, 404, 408, 410, 429, 500, 503].map((code) => [code, code === 400 ? 6 : 5]),
    ]);
  });

  it.each(NAMES)("sends only bodies that the document accepts: %s", (name) => {
    const { item, variable } = read(name);
    const accepts = accepts31(readYaml(join(WRITTEN, `${name}.openapi-3.1.yaml`)));
    const operations = operationsIn(name);
    const values = new Map(variable.map(({ key, value }) => [key, value]));
    const bodies = requestsIn(item).filter(({ request }) => request.body);
    expect(bodies.length).toBeGreaterThan(3);
    for (const { name: title, request } of bodies) {
      const text = request.body?.raw.replaceAll(/\{\{(\w+)\}\}/g, (_all, key) => values.get(key) ?? "");
      const path = request.url.raw.replace(
        /^\{\{baseUrl\}\}(\/operations\/v1|\/providers\/\{\{providerId\}\})?/,
        "",
      );
      const operation = operations.find(
        (each) =>
          each.method === request.method.toLowerCase() &&
          each.path.replaceAll(/[{}]/g, "") === path.replaceAll(/[{}]/g, ""),
      );
      const schema = operation?.body?.schema;
      const reference = typeof schema === "object" ? schema.$ref : undefined;
      expect([title, reference]).toEqual([title, expect.stringMatching(/^#\/components\/schemas\//)]);
      expect([title, accepts(`document${reference}`, JSON.parse(text ?? ""))]).toEqual([title, true]);
    }
  });

  it("has the operations of a document without servers and tags, with bodies made from their schemas", async () => {
    const output = await emit(LIBRARY);
    const { item, variable }: Collection = JSON.parse(
      output.get("spec/library.postman_collection.json") ?? "",
    );
    const requests = requestsIn(item);
    expect(requests.map(({ name }) => name)).toContain("The books of the library");
    expect(variable).toContainEqual({ key: "baseUrl", value: "", description: "Where the API is." });
    const rename = requests.find(({ name }) => name === "Give a book another title");
    expect(JSON.parse(rename?.request.body?.raw ?? "")).toEqual({ title: expect.any(String) });
  });
});
