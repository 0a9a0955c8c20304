import { describe, expect, it } from "vitest";
import { csvOf } from "../../src/console/components/save-csv.tsx";
import { EXAMPLE, FileFault, readPeople, textOf } from "../../src/console/people/import-page.tsx";

const COMPETENCES = new Map([
  ["Waiter", "w"],
  ["Bartender", "b"],
]);
const HEADING = "Personnummer;Förnamn;Efternamn;E-post;Telefon";
const ROBIN = "18900116-9813;Robin;Ek;robin.ek@example.com;+46701740605";
const read = (text: string) => readPeople(text, COMPETENCES);
const latin1 = (text: string) => Uint8Array.from(text, (each) => each.charCodeAt(0));

describe("a CSV file of people", () => {
  it("may be the example", () => {
    expect(read(EXAMPLE)).toEqual([
      {
        line: 2,
        name: "Robin Ek",
        errors: [],
        person: {
          personalNumber: "18900116-9813",
          firstName: "Robin",
          lastName: "Ek",
          email: "robin.ek@example.com",
          phone: "+46701740605",
          competenceIds: ["w", "b"],
          employeeNumber: "4711",
          language: "sv",
        },
      },
    ]);
  });

  const TEXT = `${HEADING}\r\n${ROBIN.replace("Robin", "Åsa")}\r\n`;
  it.each([
    ["UTF-8", new TextEncoder().encode(TEXT)],
    ["UTF-8 with a mark", new TextEncoder().encode(`\ufeff${TEXT}`)],
    ["Latin-1", latin1(TEXT)],
    ["UTF-16 of a spreadsheet", new Uint8Array(Buffer.from(`\ufeff${TEXT}`, "utf16le"))],
    ["tabs", new TextEncoder().encode(TEXT.replaceAll(";", "\t"))],
    ["commas", new TextEncoder().encode(TEXT.replaceAll(";", ","))],
  ])("may be in %s", (_, bytes) => {
    expect(read(textOf(bytes))).toMatchObject([{ line: 2, name: "Åsa Ek", errors: [] }]);
  });

  it("names the line of each error, after empty lines and cells of several lines", () => {
    const text = `First name,Last name,E-mail,Phone,Personal number,Competences,Language\n\nRobin,Ek,a@example.com,1,2,Cook,\n"Ro\nbin",Ek,a@example.com,1,2,,fi\nRobin,Ek\n`;
    expect(read(text).map(({ line, errors }) => [line, ...errors])).toEqual([
      [3, 'There is no competence "Cook".'],
      [5, 'The language "fi" is neither sv nor en.'],
      [6, "The line has 2 cells, and the heading 7."],
    ]);
  });

  it.each([
    ["PK\u0003\u0004\0\0", "not a text file"],
    ["", "no lines of people"],
    [HEADING, "no lines of people"],
    [`${HEADING};Lön\n${ROBIN};1`, 'Column 6 is called "Lön"'],
    [`${HEADING};Mobil\n${ROBIN};1`, 'Two columns are for "Phone"'],
    ["Förnamn;Efternamn\nRobin;Ek", "no column for: Personal number, E-mail, Phone"],
    [`${HEADING}\n"${ROBIN}`, "a quotation mark is not closed"],
    [`${HEADING}\n${`${ROBIN}\n`.repeat(50_001)}`, "more than 50,000 lines"],
  ])("that cannot be read (%#) is refused with what to do", (text, message) => {
    expect(() => read(text)).toThrow(FileFault);
    expect(() => read(text)).toThrow(message);
  });

  it("may have 20,000 lines", () => {
    const lines = read(`${HEADING}\n${`${ROBIN}\n`.repeat(20_000)}`);
    expect([lines.length, lines.at(-1)?.line]).toEqual([20_000, 20_001]);
  });
});

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
