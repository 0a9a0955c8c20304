import fc, { type Arbitrary } from "fast-check";

/** What a URL, a router or a proxy may read as something other than text. */
const PARTS = [
  ...[
    "..",
    ".",
    "/",
    "\\",
    "%2f",
    "%2e",
    "%2E%2e",
    "%5c",
    "%",
    "%zz",
    "?",
    "#",
    ";",
    ":",
    "@",
    "&",
    "+",
    "=",
    "{",
    "}",
  ],
  ...[
    "\t",
    "\n",
    "\r\n",
    "\0",
    "\u0001",
    "\u001f",
    " ",
    "\u007f",
    "\u0085",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "\ud800",
    "\udc00",
  ],
  ...[
    "a",
    "~",
    "!",
    "*",
    "'",
    "(",
    ")",
    "-",
    "_",
    "å",
    "e\u0301",
    "😀",
    "newest",
    "registry",
    "-to-",
    ".json",
    ":cancel",
    "__proto__",
  ],
];

/** Texts of such parts, the empty one, and others. */
export const pathTexts: Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...PARTS), { maxLength: 5 }).map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
);

/** The texts that no path can carry as a segment of its own. */
export const isNoSegment = (text: string): boolean => ["", ".", ".."].includes(text) || !text.isWellFormed();
