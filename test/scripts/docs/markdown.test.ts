import { describe, expect, it } from "vitest";
import { line, written } from "../../../scripts/docs/markdown.ts";

describe("a written text", () => {
  it("shows tags and obeys none", () => {
    const { html } = written(
      "# A <b>title</b>\n\n<script>alert(1)</script>\n\n| a |\n| --- |\n| <i>x</i> |\n",
    );
    expect(html.text).not.toMatch(/<(script|b|i)>/);
    expect(html.text).toContain("&lt;script&gt;");
    expect(line("`<TOKEN>` & <b>").text).toBe("<code>&lt;TOKEN&gt;</code> &amp; &lt;b&gt;");
  });

  it("gives each heading an id of its own", () => {
    const { headings } = written("# One\n\n## Start it\n\n## Start it\n\n## `npm` & co\n");
    expect(headings.map(({ id }) => id)).toEqual(["one", "start-it", "start-it-2", "npm--co"]);
  });

  it("links a row that begins with a code, and keeps tables in a box that the keyboard reaches", () => {
    const { html } = written("## Codes\n\n| code | what |\n| --- | --- |\n| `a_code` | x |\n| plain | y |\n");
    expect(html.text).toContain(
      '<tr id="a_code"><th scope="row"><a href="#a_code"><code>a_code</code></a></th>',
    );
    expect(html.text).toContain("<tr><td>plain</td>");
    expect(html.text).toContain('<div class="scroll" role="group" aria-label="Table: Codes" tabindex="0">');
  });

  it("lets the page decide where a link leads", () => {
    const { html } = written("[a](x.md) and [b](y.md#z)", (href) => `to-${href}`);
    expect(html.text).toContain('<a href="to-x.md">a</a> and <a href="to-y.md#z">b</a>');
  });
});
