"""How a page looks and what it does in a browser: light, dark, narrow, printed; no library."""

STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --soft: #57606a; --line: #d0d7de;
  --back: #ffffff; --panel: #f4f6f8; --blue: #0072B2; --orange: #D55E00; --grey: #8c959f; }
@media screen and (prefers-color-scheme: dark) { :root {
  --text: #e6edf3; --soft: #9da7b3; --line: #3d444d; --back: #10151b; --panel: #1a2028;
  --blue: #58a6e0; --orange: #f0883e; --grey: #8b949e; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back);
  max-width: 70rem; margin: 0 auto; padding: 1.2rem 1rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .2rem 0 .4rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; }
p { margin: .5rem 0; } a { color: var(--blue); }
.answer { font-size: 1.1rem; } .small { color: var(--soft); font-size: .9rem; }
.first { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
  gap: 1rem 2.5rem; margin: 1rem 0; align-items: start; }
.big { font-size: 2.4rem; font-weight: 650; color: var(--blue); margin: 0; line-height: 1.2; }
nav { font-size: .9rem; margin: 1rem 0; padding: .5rem 0; border-block: 1px solid var(--line); }
nav a { margin-right: 1.1rem; white-space: nowrap; text-decoration: none; }
.wide { overflow-x: auto; max-width: 100%; margin: .6rem 0; }
.first .wide { font-size: .9em; } .first .wide :is(th, td) { padding: .3rem .35rem; }
.first .wide th { white-space: normal; overflow-wrap: normal; }
.first .wide td:not(.text) { white-space: nowrap; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--line); }
td { overflow-wrap: normal; } td.text, th.text { text-align: left; }
th { background: var(--panel); white-space: nowrap; } tr.best td { font-weight: 650; }
th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid; }
th button::after { content: " \\2195"; color: var(--soft); font-weight: 400; }
th[aria-sort=ascending] button::after { content: " \\25B2"; }
th[aria-sort=descending] button::after { content: " \\25BC"; }
pre { background: var(--panel); padding: .8rem; border-radius: 6px; margin: .5rem 0;
  white-space: pre-wrap; } pre span { white-space: nowrap; }
button.copy { font: inherit; font-size: .8rem; padding: .1rem .5rem; cursor: pointer;
  white-space: nowrap; color: var(--text); background: var(--panel); border: 1px solid var(--line);
  border-radius: 6px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr));
  gap: 1rem 2rem; } figure { margin: 0; } figcaption { font-size: .9rem; color: var(--soft); }
svg { width: 100%; max-width: 32rem; height: auto; display: block;
  font: 12px system-ui, sans-serif; }
svg text { fill: var(--text); paint-order: stroke; stroke: var(--back); stroke-width: 3px; }
.bar { fill: var(--blue); } .mark { fill: var(--blue); fill-opacity: .65; }
.stop { stroke: var(--grey); } .best { stroke: var(--orange); fill: none; stroke-width: 2.5; }
.axis { stroke: var(--grey); fill: none; } .spread { stroke: var(--orange); }
.trial { stroke: var(--blue); fill: none; stroke-width: 1.2; } .trial:hover { stroke-width: 4; }
[role=status] { position: absolute; clip-path: inset(50%); }
.rest { fill: var(--grey); } .second { stroke: var(--blue); fill: none; stroke-width: 2; }
@media (max-width: 480px) { .wide { font-size: .75rem; } .first .wide { font-size: .72rem; }
  .wide table { font-size: inherit; } .wide :is(th, td) { padding: .3rem .2rem; }
  .wide th { white-space: normal; overflow-wrap: normal; } .wide td.text { min-width: 4.5rem; }
  .stacks, .stacks :is(thead, tbody) { display: block; } .wide .stacks { font-size: .85rem; }
  .stacks tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .9rem;
    padding: .45rem 0; border-bottom: 1px solid var(--line); }
  .stacks thead tr { background: var(--panel); } .stacks thead tr::before { content: "sort by"; }
  .wide .stacks :is(th, td, td.text) { border: 0; padding: 0; min-width: 0; }
  .stacks :is(th, td):empty { display: none; }
  .stacks td::before { content: attr(data-label) " "; color: var(--soft); font-weight: 400; } }
@media print { nav, button.copy { display: none; } th button::after { content: none; }
  body { max-width: none; padding: 0; }
  h2, figure, tr { break-inside: avoid; } h2 { break-after: avoid; }
  .wide { overflow: visible; } .code { break-inside: avoid; }
  .first { grid-template-columns: 3fr 2fr; } .first .wide { font-size: .7rem; }
  .first .wide table { font-size: inherit; } }
"""

SCRIPT = """
for (const table of document.querySelectorAll('table.sorts')) {
  const names = [...table.tHead.rows[0].cells].map(head => head.textContent);
  table.classList.add('stacks');  // on a narrow screen each row becomes lines: then roles are lost
  table.setAttribute('role', 'table');
  for (const part of [table.tHead, table.tBodies[0]]) part.setAttribute('role', 'rowgroup');
  for (const row of table.rows) {
    row.setAttribute('role', 'row');
    for (const cell of row.cells) {
      const head = cell.tagName === 'TH';
      cell.setAttribute('role', head ? 'columnheader' : 'cell');
      if (!head) cell.dataset.label = names[cell.cellIndex];
    }
  }
}
for (const head of document.querySelectorAll('table.sorts th')) {
  const name = head.textContent; if (!name) continue;
  const button = document.createElement('button'); button.textContent = name;
  head.replaceChildren(button);
  button.onclick = () => {
    const table = head.closest('table'), body = table.tBodies[0];
    const place = [...head.parentNode.children].indexOf(head);
    const up = head.getAttribute('aria-sort') === 'descending';
    for (const other of head.parentNode.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const value = row => { const text = row.cells[place].textContent.trim();
      const number = parseFloat(text.replace(/,/g, '')); return isNaN(number) ? text : number; };
    const order = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0)
      : typeof a === 'number' ? 1 : -1;
    const rows = [...body.rows].sort((a, b) => order(value(a), value(b)));
    body.append(...(up ? rows : rows.reverse()));
  };
}
const told = document.getElementById('configs');
const configs = told ? JSON.parse(told.textContent) : {base: {}, trials: {}};
const yaml = value => typeof value === 'string' && !/^[a-z][a-z0-9_]*$/.test(value)
  ? JSON.stringify(value) : String(value);
const status = document.createElement('p');
status.setAttribute('role', 'status'); document.body.append(status);
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false;
  const trial = button.dataset.trial;
  if (trial) button.setAttribute('aria-label', 'copy config of trial ' + trial);
  button.onclick = async () => {
    const own = configs.trials[button.dataset.trial];
    const text = own ? Object.entries({...configs.base, ...own})
      .map(([key, value]) => key + ': ' + yaml(value) + '\\n').join('')
      : button.closest('.code').querySelector('pre').textContent;
    const said = button.textContent;
    try { await navigator.clipboard.writeText(text); }
    catch { const area = document.createElement('textarea'); area.value = text;
      document.body.append(area); area.select(); document.execCommand('copy'); area.remove(); }
    button.textContent = status.textContent = 'copied';
    setTimeout(() => { button.textContent = said; status.textContent = ''; }, 1500);
  };
}
"""
