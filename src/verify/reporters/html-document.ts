import { STYLE } from "./html-style.ts";
import { Markup, markup } from "./markup.ts";

/** What every HTML report stands in: one document that needs nothing from elsewhere, and no script. */
export function documentOf(title: string, header: Markup, chapters: readonly Markup[]): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
${header}
<main>
${chapters.map((each) => markup`${each}\n`)}</main>
</body>
</html>
`.text;
}
