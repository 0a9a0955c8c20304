/** Light and dark, for any width, with system fonts: the report loads nothing. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --paper: #fff; --card: #f6f8fa; --line: #d1d9e0;
  --red: #b3261e; --amber: #8a5a00; --green: #1a7f37; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4af; --paper: #0d1117; --card: #161b22; --line: #30363d;
    --red: #ff7b72; --amber: #e3b341; --green: #56d364; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: .5rem 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
h4, article h3 { font-size: 1rem; margin: 0; }
small, dt { color: var(--soft); font-weight: normal; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }
.verdict { display: inline-block; margin: 0; padding: .1rem .8rem; border-radius: 1rem; font-weight: bold; color: var(--paper); }
.verdict.conforms { background: var(--green); }
.verdict.incomplete { background: var(--amber); }
.verdict.fails { background: var(--red); }
.counts { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; margin: .5rem 0; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0; font-size: .875rem; }
.facts div { display: flex; gap: .4rem; }
.facts dt { white-space: nowrap; }
.facts dd { margin: 0; }
article { background: var(--card); border: 1px solid var(--line); border-left: .3rem solid var(--line); border-radius: .3rem;
  padding: .75rem 1rem; margin: .75rem 0; }
article.error { border-left-color: var(--red); }
article.warning { border-left-color: var(--amber); }
article dl { display: grid; grid-template-columns: 5.5rem 1fr; gap: .15rem .5rem; margin: .5rem 0; }
article dd { margin: 0; }
article ul { margin: .25rem 0; padding-left: 1.25rem; }
pre { margin: .5rem 0 0; padding: .5rem; background: var(--paper); border: 1px solid var(--line);
  border-radius: .3rem; user-select: all; white-space: pre-wrap; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child { text-align: left; }
details { margin: 2rem 0; }
summary { cursor: pointer; }
@media (max-width: 30rem) {
  article dl { grid-template-columns: 1fr; }
  article dd { margin-bottom: .4rem; }
  th, td { padding: .25rem .3rem; }
  th:first-child { min-width: 9rem; white-space: normal; }
}
@media print { body { max-width: none; } }
`;
