import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVault } from "../../../src/platform/integrations/vault.ts";

const KEY = Buffer.alloc(32, 1);
const OTHER_KEY = Buffer.alloc(32, 2);

describe("the vault", () => {
  const vault = createVault(KEY);

  it("opens what it sealed, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(createVault(KEY).open(vault.seal(text))).toBe(text);
      }),
    );
  });

  it("seals one text differently each time, and shows nothing of it", () => {
    const [one, other] = [vault.seal("provider-token"), vault.seal("provider-token")];
    expect(one).not.toBe(other);
    expect(one).not.toContain("provider-token");
    expect(one).not.toContain(Buffer.from("provider-token").toString("base64url"));
  });

  it("distinguishes a replaced key from changed data", () => {
    const sealed = vault.seal("provider-token");
    expect(() => createVault(OTHER_KEY).open(sealed)).toThrow(
      /sealed with key \w{8}, but SECRET_KEY is key \w{8}/,
    );
    expect(() => createVault(OTHER_KEY).open(sealed)).not.toThrow(KEY.toString("hex"));
  });

  it("rejects every change of what it sealed", () => {
    const [keyId, iv, tag, text] = vault.seal("provider-token").split(".") as [
      string,
      string,
      string,
      string,
    ];
    const flipped = (part: string) => (part.startsWith("A") ? "B" : "A") + part.slice(1);
    const changed = [
      [keyId, flipped(iv), tag, text],
      [keyId, iv, flipped(tag), text],
      [keyId, iv, tag, flipped(text)],
      [keyId, iv, tag, ""],
      [keyId, iv, "", text],
      [keyId, "", tag, text],
      [keyId],
      ["", iv, tag, text],
    ];
    for (const parts of changed) expect(() => vault.open(parts.join("."))).toThrow();
    expect(() => vault.open("")).toThrow();
  });

  it("rejects a shortened tag: four bytes of it could be guessed", () => {
    const [keyId, iv, tag, text] = vault.seal("provider-token").split(".") as [
      string,
      string,
      string,
      string,
    ];
    for (const bytes of [4, 8, 12, 15]) {
      const short = Buffer.from(tag, "base64url").subarray(0, bytes).toString("base64url");
      expect(() => vault.open([keyId, iv, short, text].join("."))).toThrow();
    }
  });

  it.each([0, 16, 31, 33])("needs a key of 32 bytes, not %d", (bytes) => {
    expect(() => createVault(Buffer.alloc(bytes))).toThrow("SECRET_KEY must be 32 bytes");
  });
});
