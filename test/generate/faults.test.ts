import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inOperation, inSchema, JSON_OF } from "./refused.ts";
import { faultOf, folderWith, openapi, run } from "./workspace.ts";

/** Returns the places and the problems of a message, line by line, without positions and advice. */
async function linesOf(files: Readonly<Record<string, unknown>>): Promise<string[]> {
  const lines = (await faultOf(files)).split("\n").filter((line) => !line.startsWith("  ->"));
  return lines.map((line) => line.replace(/^spec\/(\S+?):\d+:\d+/, "$1").trim());
}

const NO_JSON = { content: { "multipart/form-data": { schema: { $ref: "#/components/schemas/Form" } } } };

describe("the faults of a run", () => {
  it("are the version alone, where the document is of another one", async () => {
    const document = { openapi: "3.0.3", components: { schemas: { A: { nullable: true } } } };
    expect(
      await linesOf({
        "a.openapi.yaml": openapi({ document }),
        "b.openapi.yaml": { openapi: "3.1.0", x: 1 },
      }),
    ).toEqual([
      "a.openapi.yaml #/openapi",
      "version 3.0.3 is not supported",
      "b.openapi.yaml #/x",
      'the key "x" is not known here',
    ]);
  });

  it("are listed by kind, each with its places", async () => {
    const schemas = {
      A: { type: "string", nullable: true, format: "phone" },
      B: { properties: { c: { items: { nullable: true } } } },
    };
    expect(await linesOf({ "a.openapi.yaml": openapi({ schemas, operation: { tgas: [] } }) })).toEqual([
      "a.openapi.yaml #/paths/~1things/get/tgas",
      'the key "tgas" is not known here',
      "a.openapi.yaml #/components/schemas/A/nullable",
      "a.openapi.yaml #/components/schemas/B/properties/c/items/nullable",
      'the keyword "nullable" is not supported',
      "a.openapi.yaml #/components/schemas/A/format",
      'the format "phone" is not known',
    ]);
  });

  it("name a form before the files in it", async () => {
    const schemas = { Form: { type: "object", properties: { file: { type: "string", format: "binary" } } } };
    expect(
      await linesOf({ "a.openapi.yaml": openapi({ schemas, operation: { requestBody: NO_JSON } }) }),
    ).toEqual([
      "a.openapi.yaml #/paths/~1things/post/requestBody/content/multipart~1form-data",
      "the media type multipart/form-data is not supported",
      "a.openapi.yaml #/components/schemas/Form/properties/file/format",
      'the format "binary" is not known',
    ]);
  });

  it("leave out what follows from another", async () => {
    const content = JSON_OF({ schma: { type: "object" } });
    expect(await linesOf(inOperation({ responses: { 200: { description: "", content } } }))).toEqual([
      "small.openapi.yaml #/paths/~1things/get/responses/200/content/application~1json/schma",
      'the key "schma" is not known here',
    ]);
    const parameters = [
      { name: "id", in: "path", reqiured: true, schema: { format: "phone", default: 1, enum: ["a"] } },
    ];
    expect(
      await linesOf({ "a.openapi.yaml": openapi({ path: "/a/{id}", operation: { parameters } }) }),
    ).toEqual([
      "a.openapi.yaml #/paths/~1a~1{id}/get/parameters/0/reqiured",
      'the key "reqiured" is not known here',
      "a.openapi.yaml #/paths/~1a~1{id}/get/parameters/0/schema/format",
      'the format "phone" is not known',
    ]);
  });

  it("have the place where a part is written, once for all who refer to it", async () => {
    const get = (operationId: string) => {
      const parameters = [{ $ref: "#/components/parameters/Page" }];
      return { get: { operationId, parameters, responses: { 204: { description: "" } } } };
    };
    const document = {
      paths: { "/a": get("a"), "/b": get("b") },
      components: { parameters: { Page: { name: "page", in: "cookie", schema: {} } } },
    };
    expect(await linesOf({ "a.openapi.yaml": openapi({ document }) })).toEqual([
      "a.openapi.yaml #/components/parameters/Page",
      'a parameter in "cookie" is not supported',
    ]);
  });

  it("have a pointer also for a number that no reader keeps", async () => {
    const text = "openapi: 3.1.0\ncomponents: { schemas: { A: { enum: [1, 9007199254740993] } } }\n";
    expect(await faultOf({ "a.openapi.yaml": text })).toMatch(
      /^spec\/a\.openapi\.yaml:2:41 #\/components\/schemas\/A\/enum\/1\n/,
    );
  });

  it("do not end with a number that no reader keeps", async () => {
    const text =
      "openapi: 3.1.0\ncomponents: { schemas: { A: { maximum: 9007199254740993, nullable: true } } }\n";
    expect(await linesOf({ "a.openapi.yaml": text })).toEqual([
      "a.openapi.yaml #/components/schemas/A/maximum",
      "readers of JSON round 9007199254740993, which is beyond 2^53",
      "a.openapi.yaml #/components/schemas/A/nullable",
      'the keyword "nullable" is not supported',
    ]);
  });

  it("do not end in an error of the generator", async () => {
    const circle = { A: { $ref: "#/components/responses/B" }, B: { $ref: "#/components/responses/A" } };
    const document = {
      components: {
        responses: circle,
        schemas: {
          A: { allOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/A" }] },
          B: { required: 5 },
        },
      },
    };
    const lines = await linesOf({ "a.openapi.yaml": openapi({ document }) });
    expect(lines).toEqual(expect.arrayContaining(["the references run in a circle", "this must be array"]));
  });

  it("are none in the values of extensions and examples", async () => {
    const other = { $ref: "none.yaml#/a" };
    const example = { type: "object", example: { a: other }, default: other };
    expect(
      await faultOf({ ...inSchema(example), "b.openapi.yaml": openapi({ operation: { "x-a": other } }) }),
    ).toBe("none");
  });
});

describe("names of others", () => {
  const operation = (operationId: string) => ({
    get: { operationId, responses: { 204: { description: "" } } },
  });
  const schemas = {
    "pet-owner": { type: "object", properties: { first_pet: { $ref: "#/components/schemas/pet" } } },
    pet: { type: "string" },
    Good: {},
  };
  const paths = Object.fromEntries(
    ["list-pets", "get_pet_by_id", "pets/findAll", "LIST_OWNERS", "ShowPet", "asIs"].map((id) => [
      `/${id}`,
      operation(id),
    ]),
  );

  it("are converted where no two meet, and shown", async () => {
    const spec = folderWith({ "a.openapi.yaml": openapi({ document: { paths, components: { schemas } } }) });
    mkdirSync(join(spec, "out"));
    const { code, out, error } = await run("--spec", spec, "--out", join(spec, "out"));
    expect({ code, error }).toEqual({ code: 0, error: "" });
    const named = out.split("\n").filter((line) => line.startsWith("named"));
    expect(named.map((line) => line.replace(/^named +spec\/a\.openapi\.yaml: /, ""))).toEqual([
      "pet-owner is PetOwner in the code",
      "pet is Pet in the code",
      "list-pets is listPets in the code",
      "get_pet_by_id is getPetById in the code",
      "pets/findAll is petsFindAll in the code",
      "LIST_OWNERS is listOwners in the code",
      "ShowPet is showPet in the code",
    ]);
  });

  it("are refused where two meet", async () => {
    const both = { "/a": operation("list-pets"), "/b": operation("listPets") };
    expect(
      await linesOf({
        "a.openapi.yaml": openapi({
          document: { paths: both, components: { schemas: { pet: {}, Pet: {} } } },
        }),
      }),
    ).toEqual([
      "a.openapi.yaml #/components/schemas/Pet",
      'the name "Pet" is taken by spec/a.openapi.yaml#/components/schemas/pet',
      "a.openapi.yaml #/paths/~1b/get",
      'the operationId "listPets" is taken by /paths/~1a/get',
    ]);
  });
});
