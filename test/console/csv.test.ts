import { describe, expect, it } from "vitest";
import { csvOf } from "../../src/console/components/save-csv.tsx";

/** Without the byte order mark. */
const cell = (text: string) => csvOf([[text]]).slice(1, -2);

describe("a CSV file of a list", () => {
  it("begins with a byte order mark and ends each row", () => {
    expect(
      csvOf([
        ["Name", "Place"],
        ["Elin", "Kajen"],
      ]),
    ).toBe("\uFEFFName,Place\r\nElin,Kajen\r\n");
  });

  it.each([
    ["a, b", '"a, b"'],
    ['say "hi"', '"say ""hi"""'],
    ["one\ntwo", '"one\ntwo"'],
    ["Södermalm", "Södermalm"],
    ["", ""],
  ])("quotes %j where it has to", (text, written) => {
    expect(cell(text)).toBe(written);
  });

  it.each(["=1+1", "+46701740605", "-2", "@SUM(A1)", "\t=1"])("makes %j inert for a spreadsheet", (text) => {
    expect(cell(text)).toBe(`'${text}`);
  });

  it("makes a formula inert that has to be quoted", () => {
    expect(cell('=HYPERLINK("http://a", "b")')).toBe(`"'=HYPERLINK(""http://a"", ""b"")"`);
  });
});
