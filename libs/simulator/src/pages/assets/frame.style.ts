/** What the browser loads as `frame.css`: text, so that it is there from the source, the build and the package alike. */
export const FRAME_STYLE = String.raw`/* The desk behind the counter: the shop's paint, seen from the platform's side. */
:root {
  color-scheme: light dark;
  --ground: #f3f6f0;
  --paper: #fff;
  --ink: #10231a;
  --soft: #4b5d53;
  --line: #d5ddd3;
  --field: #7d8f84;
  --leaf: #0a6b42;
  --leaf-deep: #074d30;
  --on-leaf: #fff;
  --sun: #ffc629;
  --on-sun: #2b2100;
  --good: #0a6b42;
  --bad: #b3261e;
  --wait: #8a4b00;
  --sky: #1c4f8a;
  --good-wash: #dff3e6;
  --bad-wash: #fde7e4;
  --wait-wash: #fff0cf;
  --sky-wash: #e3eefb;
  --shade: 0 1px 2px rgb(16 35 26 / 8%), 0 8px 24px rgb(16 35 26 / 7%);
  --radius: 18px;
  --words: 'Avenir Next', 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  --digits: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1411;
    --paper: #17211c;
    --ink: #ebf3ee;
    --soft: #a9b9af;
    --line: #2d3b34;
    --field: #6f8379;
    --leaf: #37c787;
    --leaf-deep: #5fdba4;
    --on-leaf: #04261a;
    --good: #5fdba4;
    --bad: #ff9a8c;
    --wait: #ffc76b;
    --sky: #9cc7ff;
    --good-wash: #123326;
    --bad-wash: #3b1a17;
    --wait-wash: #352709;
    --sky-wash: #14283f;
    --shade: 0 1px 2px rgb(0 0 0 / 40%);
  }
}
*,
*::before,
*::after {
  box-sizing: border-box;
}
[hidden] {
  display: none !important;
}
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font: 400 1rem/1.5 var(--words);
  -webkit-text-size-adjust: 100%;
  overflow-wrap: anywhere;
}
h1,
h2,
h3,
p,
ul,
ol,
dl,
dd,
pre,
fieldset {
  margin: 0;
  padding: 0;
}
fieldset {
  border: 0;
  min-width: 0;
}
ul,
ol {
  list-style: none;
}
h1,
h2,
h3 {
  line-height: 1.15;
  letter-spacing: -0.02em;
  font-weight: 800;
  text-wrap: balance;
}
h1 {
  font-size: clamp(1.9rem, 1.4rem + 2.2vw, 2.8rem);
  letter-spacing: -0.035em;
}
h2 {
  font-size: 1.3rem;
}
a {
  color: var(--leaf);
  text-underline-offset: 0.2em;
  text-decoration-thickness: 0.08em;
}
a:hover {
  color: var(--leaf-deep);
  text-decoration-thickness: 0.14em;
}
:focus-visible {
  outline: 3px solid var(--leaf);
  outline-offset: 2px;
  border-radius: 6px;
}
main:focus,
[tabindex='-1']:focus {
  outline: none;
}
code,
.mono {
  font-family: var(--digits);
  font-size: 0.92em;
  letter-spacing: -0.01em;
}
.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  margin: -1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.skip {
  position: absolute;
  left: 1rem;
  top: -4rem;
  z-index: 5;
  padding: 0.6rem 1rem;
  background: var(--ink);
  color: var(--ground);
  border-radius: 0 0 10px 10px;
}
.skip:focus {
  top: 0;
  color: var(--ground);
}
.soft {
  color: var(--soft);
}
.small {
  font-size: 0.9375rem;
}
.lead {
  margin-top: 0.6rem;
  max-width: 42rem;
  color: var(--soft);
  font-size: 1.1rem;
  text-wrap: pretty;
}
.strip {
  padding: 0.4rem 1.25rem;
  background: var(--sun);
  color: var(--on-sun);
  font-size: 0.9375rem;
  text-align: center;
}
.top {
  background: var(--paper);
  box-shadow: 0 1px 0 var(--line);
}
.top__inner {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 0.4rem 1rem;
  max-width: 88rem;
  margin: 0 auto;
  padding: 0.7rem 1.25rem;
}
.brand {
  display: inline-flex;
  align-items: center;
  gap: 0.6rem;
  color: var(--ink);
  font-size: 1.2rem;
  font-weight: 800;
  letter-spacing: -0.03em;
  text-decoration: none;
}
.brand:hover {
  color: var(--ink);
}
.brand__case {
  fill: #0a7a4b;
}
.brand__screen {
  fill: #fff8dd;
}
.brand__key {
  fill: var(--sun);
}
nav ul {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem;
  margin-left: -0.7rem;
}
nav a {
  display: block;
  padding: 0.4rem 0.7rem;
  border-radius: 999px;
  color: var(--ink);
  font-weight: 600;
  text-decoration: none;
}
nav a:hover {
  background: var(--ground);
  color: var(--ink);
}
nav a[aria-current] {
  background: var(--ground);
  box-shadow: inset 0 0 0 1.5px var(--line);
}
main {
  max-width: 88rem;
  min-height: 60vh;
  margin: 0 auto;
  padding: 1.75rem 1.25rem 3.5rem;
}
.foot {
  max-width: 85.5rem;
  margin: 0 auto;
  padding: 1.1rem 1.25rem 2rem;
  color: var(--soft);
  font-size: 0.875rem;
}
.panel {
  padding: 1.25rem;
  border-radius: var(--radius);
  background: var(--paper);
  box-shadow: var(--shade);
}
.button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: 0.4rem;
  min-height: 2.5rem;
  padding: 0.4rem 1rem;
  border: 0;
  border-radius: 999px;
  background: var(--leaf);
  color: var(--on-leaf);
  font: 700 0.9688rem/1.2 var(--words);
  text-decoration: none;
  cursor: pointer;
}
.button:hover {
  background: var(--leaf-deep);
  color: var(--on-leaf);
}
.button--quiet {
  background: transparent;
  color: var(--leaf);
  box-shadow: inset 0 0 0 1.5px currentcolor;
}
.button--quiet:hover {
  background: var(--leaf);
  color: var(--on-leaf);
}
.button--bad {
  background: transparent;
  color: var(--bad);
  box-shadow: inset 0 0 0 1.5px currentcolor;
}
.button--bad:hover {
  background: var(--bad);
  color: var(--paper);
}
.button--small {
  min-height: 2rem;
  padding: 0.25rem 0.8rem;
  font-size: 0.875rem;
}
.button:disabled {
  background: var(--ground);
  color: var(--soft);
  box-shadow: inset 0 0 0 1.5px var(--line);
  cursor: not-allowed;
}
.field {
  display: grid;
  gap: 0.25rem;
  min-width: 0;
}
.field label,
.label {
  font-weight: 700;
  font-size: 0.9375rem;
}
input[type='text'],
input[type='search'],
input[type='tel'],
input[type='number'],
input[type='password'],
select {
  width: 100%;
  min-width: 0;
  min-height: 2.5rem;
  padding: 0.35rem 0.75rem;
  border: 1.5px solid var(--field);
  border-radius: 12px;
  background: var(--ground);
  color: var(--ink);
  font: 500 1rem/1.4 var(--words);
}
input:focus-visible,
select:focus-visible {
  border-radius: 12px;
  outline-offset: 1px;
}
input[type='checkbox'] {
  width: 1.15rem;
  height: 1.15rem;
  accent-color: var(--leaf);
}
input[type='range'] {
  accent-color: var(--leaf);
  min-width: 0;
  width: 100%;
  height: 1.6rem;
  margin: 0;
}
.problem-note {
  padding: 0.8rem 1rem;
  border-left: 4px solid var(--bad);
  border-radius: 0 12px 12px 0;
  background: var(--bad-wash);
  color: var(--ink);
}
.row {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
  align-items: center;
}
@media (prefers-reduced-motion: reduce) {
  *,
  *::before,
  *::after {
    animation: none !important;
    transition: none !important;
  }
}

/* The start page */
.hero {
  max-width: 46rem;
  margin: 0.5rem 0 1.75rem;
}
.doors {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr));
  gap: 1.1rem;
}
.door {
  display: grid;
  gap: 0.3rem;
  align-content: start;
  height: 100%;
  padding: 1.35rem;
  border-radius: var(--radius);
  background: var(--paper);
  box-shadow: var(--shade);
  color: var(--ink);
  text-decoration: none;
  transition: transform 160ms ease;
}
.door:hover {
  transform: translateY(-3px);
  color: var(--ink);
}
.door strong {
  font-size: 1.25rem;
  letter-spacing: -0.02em;
}
.door span {
  color: var(--soft);
}
.door svg {
  width: 3.5rem;
  height: 3.5rem;
  margin-bottom: 0.5rem;
  padding: 0.55rem;
  border-radius: 14px;
  background: #9fd3e6;
  color: #10231a;
}
.door--control svg {
  background: #f6b23c;
}
.door--table svg {
  background: #b9a3e3;
}
.section {
  margin-top: 2.75rem;
  scroll-margin-top: 1rem;
}
.section > h2 {
  margin-bottom: 0.9rem;
  font-size: 1.5rem;
}
.facts {
  display: grid;
  grid-template-columns: minmax(0, max-content) minmax(0, 1fr);
  gap: 0.5rem 1.5rem;
}
.facts dt {
  color: var(--soft);
}
.facts dd {
  font-weight: 600;
}
.numbers {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr));
  gap: 0.6rem;
}
.numbers a {
  display: grid;
  grid-template-columns: 3.4rem 1fr;
  grid-template-rows: auto 1fr;
  gap: 0 0.9rem;
  align-items: start;
  height: 100%;
  padding: 0.7rem 0.9rem;
  border-radius: 14px;
  background: var(--paper);
  box-shadow: inset 0 0 0 1.5px var(--line);
  color: var(--ink);
  text-decoration: none;
}
.numbers a:hover {
  box-shadow: inset 0 0 0 2px var(--leaf);
  color: var(--ink);
}
.numbers__digits {
  grid-row: span 2;
  align-self: stretch;
  display: grid;
  place-items: center;
  border-radius: 10px;
  background: var(--good-wash);
  color: var(--good);
  font: 800 1.1rem var(--digits);
}
.numbers__name {
  font-weight: 700;
}
.numbers__what {
  color: var(--soft);
  font-size: 0.9375rem;
}
@media (width < 30rem) {
  .facts {
    grid-template-columns: minmax(0, 1fr);
    gap: 0;
  }
  .facts dd {
    margin-bottom: 0.6rem;
  }
}
`;
