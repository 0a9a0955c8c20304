import { describe, expect, it } from "vitest";
import { markdownPage } from "../../../scripts/docs/markdown.ts";
import { sectionsOf } from "../../../scripts/docs/sections.ts";
import { HOME } from "../../../scripts/docs/shell.ts";

const html = (text: string, linkTo?: (href: string) => string): string => {
  const page = markdownPage(HOME, `# A <b>title</b>\n\n${text}`, linkTo);
  return page.slice(page.indexOf("<main"), page.indexOf("</main>"));
};

describe("a page written in Markdown", () => {
  it("shows tags instead of interpreting them", () => {
    const page = html("<script>alert(1)</script>\n\n| a |\n| --- |\n| <i>x</i> |\n\n`<TOKEN>` & more\n");
    expect(page).not.toMatch(/<(script|b|i)>/);
    expect(page).toContain("&lt;script&gt;");
    expect(page).toContain("<code>&lt;TOKEN&gt;</code> &amp; more");
  });

  it("gives each heading its own id, and lists the sections below the title", () => {
    const page = html("## Start it\n\n## Start it\n\n## `npm` & co\n");
    const ids = ["start-it", "start-it-2", "npm--co"];
    expect([...page.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id)).toEqual(ids);
    expect([...page.matchAll(/<li><a href="#([^"]+)"/g)].map(([, id]) => id)).toEqual(ids);
  });

  it("links a row that begins with a code, and keeps tables in a box that the keyboard reaches", () => {
    const page = html("## Codes\n\n| code | what |\n| --- | --- |\n| `a_code` | x |\n| plain | y |\n");
    expect(page).toContain('<tr id="a_code"><th scope="row"><a href="#a_code"><code>a_code</code></a></th>');
    expect(page).toContain("<tr><td>plain</td>");
    expect(page).toContain('<div class="scroll" role="group" aria-label="Table: Codes" tabindex="0">');
  });

  it("resolves the links of the repository", () => {
    expect(html("[a](x.md) and [b](y.md#z)", (href) => `to-${href}`)).toContain(
      '<a href="to-x.md">a</a> and <a href="to-y.md#z">b</a>',
    );
  });
});

describe("the sections of a page, for the search", () => {
  it("are its headings and its codes, each with its text", () => {
    const text =
      "# Codes\n\nFirst.\n\n## restored\n\nIt is `a < b` & *so*.\n\n| code | what |\n| --- | --- |\n| `restored_too` | x |\n";
    const page = { file: "codes.html", title: "Codes", about: "" };
    expect(sectionsOf(page, markdownPage(page, text))).toEqual([
      { page: "Codes", title: "Codes", href: "codes.html", text: "First." },
      { page: "Codes", title: "restored", href: "codes.html#restored", text: "It is a < b & so. code what" },
      { page: "Codes", title: "restored_too", href: "codes.html#restored_too", text: "x" },
    ]);
  });
});
