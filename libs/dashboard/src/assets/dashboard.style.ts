/** What the browser loads as `dashboard.css`: text, so that it is there from the source, the build and the package alike. */
export const DASHBOARD_STYLE = String.raw`/* A ledger, read all day: dense, quiet, one accent; colour says only what a word says too. */
:root {
  color-scheme: light dark;
  --ground: #f5f6f4;
  --paper: #fff;
  --ink: #14211b;
  --soft: #55635b;
  --line: #dde2dc;
  --field: #83918a;
  --accent: #0a6b42;
  --accent-deep: #074d30;
  --on-accent: #fff;
  --good: #0a6b42;
  --bad: #a8241c;
  --wait: #7d4700;
  --open: #1c4f8a;
  --good-wash: #e2f3e8;
  --bad-wash: #fdeae7;
  --wait-wash: #fdf0d5;
  --open-wash: #e6effa;
  --chart-good: #2a9d68;
  --chart-bad: #d8574b;
  --chart-wait: #e0a12b;
  --chart-sand: #c9a86a;
  --chart-violet: #8a6fc0;
  --chart-sky: #3d7ec4;
  --chart-sky-wash: rgb(61 126 196 / 16%);
  --chart-grey: #a3aea8;
  --radius: 10px;
  --words: 'Inter', 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', sans-serif;
  --digits: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1412;
    --paper: #171e1b;
    --ink: #e7eeea;
    --soft: #a3b1a9;
    --line: #2b3531;
    --field: #6f8078;
    --accent: #4fd09a;
    --accent-deep: #79e0b5;
    --on-accent: #04261a;
    --good: #6fdcae;
    --bad: #ff9d92;
    --wait: #f5c66f;
    --open: #9cc7ff;
    --good-wash: #133326;
    --bad-wash: #3d1d1a;
    --wait-wash: #382b0c;
    --open-wash: #15293f;
    --chart-good: #3fbf86;
    --chart-bad: #e5766b;
    --chart-wait: #e8b452;
    --chart-sand: #b79a63;
    --chart-violet: #a68fd6;
    --chart-sky: #6ba6e6;
    --chart-sky-wash: rgb(107 166 230 / 18%);
    --chart-grey: #7c8982;
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
  font: 400 0.9375rem/1.5 var(--words);
  font-variant-numeric: tabular-nums;
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
figure,
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
  line-height: 1.2;
  letter-spacing: -0.015em;
  font-weight: 650;
  text-wrap: balance;
}
h1 {
  font-size: 1.6rem;
  letter-spacing: -0.025em;
}
h2 {
  font-size: 1.05rem;
}
h3 {
  font-size: 0.95rem;
}
a {
  color: var(--accent);
  text-underline-offset: 0.18em;
  text-decoration-thickness: 0.07em;
}
a:hover {
  color: var(--accent-deep);
  text-decoration-thickness: 0.13em;
}
:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
  border-radius: 4px;
}
main:focus,
h2[tabindex='-1']:focus {
  outline: none;
}
.mono,
.phone,
.listing,
.money {
  font-family: var(--digits);
  font-size: 0.93em;
  letter-spacing: -0.01em;
}
.phone,
.money,
time {
  white-space: nowrap;
}
.soft {
  color: var(--soft);
}
.small {
  font-size: 0.85rem;
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
  background: var(--accent);
  color: var(--on-accent);
  padding: 0.5rem 0.9rem;
  border-radius: 0 0 var(--radius) var(--radius);
}
.skip:focus {
  top: 0;
}

/* Frame */
.top {
  background: var(--paper);
  border-bottom: 1px solid var(--line);
}
.top__inner,
.menu,
main,
.foot {
  max-width: 82rem;
  margin: 0 auto;
  padding-inline: clamp(0.9rem, 3vw, 2rem);
}
.top__inner {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.6rem 1rem;
  padding-block: 0.7rem 0.5rem;
}
.brand {
  display: inline-flex;
  align-items: center;
  gap: 0.5rem;
  color: var(--ink);
  font-weight: 650;
  font-size: 1.05rem;
  letter-spacing: -0.02em;
  text-decoration: none;
}
.mark__body {
  fill: var(--accent);
}
.mark__line {
  fill: none;
  stroke: var(--on-accent);
  stroke-width: 2.2;
  stroke-linecap: round;
  stroke-linejoin: round;
}
.account {
  color: var(--soft);
  border: 1px solid var(--line);
  border-radius: 99px;
  padding: 0.05rem 0.6rem;
  font-size: 0.85rem;
}
.find {
  display: flex;
  gap: 0.4rem;
  flex: 1 1 20rem;
  max-width: 34rem;
  margin-left: auto;
}
.find input {
  flex: 1 1 auto;
}
.menu {
  display: flex;
  flex-wrap: wrap;
  gap: 0 0.2rem;
  padding-left: calc(clamp(0.9rem, 3vw, 2rem) - 0.6rem);
}
.menu a {
  color: var(--soft);
  text-decoration: none;
  padding: 0.45rem 0.6rem 0.5rem;
  border-bottom: 2px solid transparent;
}
.menu a:hover {
  color: var(--ink);
}
.menu a[aria-current] {
  color: var(--ink);
  font-weight: 600;
  border-color: var(--accent);
}
main {
  padding-block: 1.5rem 3rem;
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 1.1rem;
}
main > section {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 0.5rem;
}
main > .facts {
  max-width: 52rem;
}
.foot {
  color: var(--soft);
  font-size: 0.85rem;
  padding-block: 1rem 2rem;
}
.crumb {
  font-size: 0.85rem;
  margin-bottom: -0.6rem;
}
.title {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.4rem 0.9rem;
}
.title .money {
  font-family: inherit;
  font-size: 1em;
}
.notice {
  background: var(--good-wash);
  color: var(--good);
  border-radius: var(--radius);
  padding: 0.6rem 0.9rem;
}
.wrong {
  color: var(--bad);
  font-size: 0.88rem;
}
.empty {
  color: var(--soft);
  background: var(--paper);
  border: 1px dashed var(--line);
  border-radius: var(--radius);
  padding: 1.4rem;
  text-align: center;
}

/* Controls */
input,
button,
.button {
  font: inherit;
}
input:not([type='checkbox'], [type='radio']) {
  width: 100%;
  min-width: 0;
  min-height: 2.25rem;
  padding: 0.3rem 0.65rem;
  color: var(--ink);
  background: var(--paper);
  border: 1px solid var(--field);
  border-radius: 7px;
}
input::placeholder {
  color: var(--soft);
  opacity: 1;
}
input[aria-invalid] {
  border-color: var(--bad);
  box-shadow: 0 0 0 1px var(--bad);
}
button,
.button {
  min-height: 2.25rem;
  padding: 0.3rem 0.95rem;
  color: var(--on-accent);
  background: var(--accent);
  border: 1px solid var(--accent);
  border-radius: 7px;
  font-weight: 600;
  cursor: pointer;
  text-decoration: none;
  white-space: nowrap;
}
button:hover,
.button:hover {
  background: var(--accent-deep);
  border-color: var(--accent-deep);
  color: var(--on-accent);
}
button.quiet,
.button.quiet,
button.small {
  color: var(--accent);
  background: transparent;
  border-color: var(--field);
}
button.quiet:hover,
.button.quiet:hover,
button.small:hover {
  border-color: var(--accent-deep);
  color: var(--accent-deep);
}
button.small {
  min-height: 1.7rem;
  padding: 0.05rem 0.6rem;
  font-weight: 500;
}
.button {
  display: inline-flex;
  align-items: center;
}
form.inline {
  display: inline-block;
  margin-left: 0.5rem;
}
.actions {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.5rem 0.9rem;
}
.filter,
.review {
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: var(--radius);
}
.filter > summary {
  cursor: pointer;
  padding: 0.6rem 0.9rem;
  font-weight: 550;
  border-radius: var(--radius);
}
.filter > form {
  padding: 0.3rem 0.9rem 0.9rem;
  display: grid;
  gap: 0.9rem;
}
.fields {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr));
  gap: 0.7rem 0.9rem;
}
.field {
  display: grid;
  gap: 0.15rem;
  align-content: start;
}
.field label,
.choices legend {
  color: var(--soft);
  font-size: 0.85rem;
}
.filter--line {
  display: flex;
  flex-wrap: wrap;
  align-items: end;
  gap: 0.6rem 0.8rem;
}
.filter.filter--line {
  padding: 0.8rem 0.9rem;
}
.filter--line .wrong {
  flex-basis: 100%;
}
.choices label {
  display: inline-flex;
  align-items: center;
  gap: 0.35rem;
  margin: 0.2rem 1rem 0 0;
  min-height: 1.6rem;
}
.choices input {
  width: 1.05rem;
  height: 1.05rem;
  accent-color: var(--accent);
}
.review {
  padding: 0.9rem 1.1rem 1.1rem;
  border-left: 4px solid var(--wait);
  display: grid;
  gap: 0.6rem;
}
.review form {
  display: grid;
  gap: 0.8rem;
}

/* Words with a colour */
.state {
  display: inline-block;
  border-radius: 99px;
  padding: 0.02rem 0.6rem 0.06rem;
  font-size: 0.85rem;
  font-weight: 600;
  white-space: nowrap;
  color: var(--open);
  background: var(--open-wash);
}
.state--good {
  color: var(--good);
  background: var(--good-wash);
}
.state--bad {
  color: var(--bad);
  background: var(--bad-wash);
}
.state--wait {
  color: var(--wait);
  background: var(--wait-wash);
}
.road {
  border: 1px solid var(--line);
  border-radius: 5px;
  padding: 0 0.4rem;
  font-size: 0.85rem;
  font-weight: 550;
  white-space: nowrap;
}
.ending {
  border-left: 4px solid var(--line);
  padding: 0.1rem 0 0.1rem 0.9rem;
  display: grid;
  gap: 0.2rem;
}
.ending--failed {
  border-color: var(--bad);
}
.ending--needs_review {
  border-color: var(--wait);
}

/* Lists */
.scroll {
  overflow-x: auto;
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: var(--radius);
}
table {
  border-collapse: collapse;
  width: 100%;
}
.list th,
.list td {
  text-align: left;
  vertical-align: top;
  padding: 0.5rem 0.8rem;
}
.list th {
  color: var(--soft);
  font-size: 0.82rem;
  font-weight: 550;
  white-space: nowrap;
  border-bottom: 1px solid var(--line);
}
.list tr + tr td {
  border-top: 1px solid var(--line);
}
.list tbody tr:hover td {
  background: color-mix(in srgb, var(--accent) 4%, transparent);
}
.list .number,
.numbers .number {
  text-align: right;
}
.pager {
  display: flex;
  justify-content: flex-end;
  gap: 1.2rem;
}
.tabs {
  display: flex;
  flex-wrap: wrap;
  gap: 0.3rem;
}
.tabs a {
  color: var(--soft);
  text-decoration: none;
  border: 1px solid var(--line);
  background: var(--paper);
  border-radius: 99px;
  padding: 0.15rem 0.8rem;
}
.tabs a:hover {
  color: var(--ink);
  border-color: var(--field);
}
.tabs a[aria-current] {
  color: var(--on-accent);
  background: var(--accent);
  border-color: var(--accent);
  font-weight: 600;
}
.plain {
  display: grid;
  gap: 0.1rem;
}
.counts {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.4rem 1.4rem;
}

/* One thing */
.columns {
  display: grid;
  grid-template-columns: minmax(0, 7fr) minmax(0, 5fr);
  gap: 1.5rem;
  align-items: start;
}
.columns > section {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 0.8rem;
}
.facts {
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: var(--radius);
  padding: 0.2rem 0.9rem;
}
.facts > div {
  display: grid;
  grid-template-columns: minmax(6.5rem, 2fr) minmax(0, 5fr);
  gap: 0.2rem 0.8rem;
  padding: 0.4rem 0;
}
.facts > div + div {
  border-top: 1px solid var(--line);
}
.facts dt {
  color: var(--soft);
  font-size: 0.88rem;
}
.listing {
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: var(--radius);
  padding: 0.8rem 0.9rem;
  max-height: 34rem;
  overflow: auto;
  white-space: pre-wrap;
}
details > summary {
  cursor: pointer;
}
details > .listing {
  margin-top: 0.5rem;
}

/* Timeline */
.timeline {
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: var(--radius);
  padding: 1rem 1.1rem 0.4rem;
}
.step {
  position: relative;
  padding: 0 0 1rem 1.5rem;
}
.step::before {
  content: '';
  position: absolute;
  left: 0.15rem;
  top: 0.38rem;
  width: 0.7rem;
  height: 0.7rem;
  border-radius: 50%;
  border: 2px solid var(--field);
  background: var(--paper);
}
.step:not(:last-child)::after {
  content: '';
  position: absolute;
  left: 0.46rem;
  top: 1.2rem;
  bottom: -0.25rem;
  width: 1px;
  background: var(--line);
}
.step--state::before {
  border-color: var(--accent);
  background: var(--accent);
}
.step--event::before,
.step--heard::before {
  border-color: var(--open);
}
.step--heard::before {
  background: var(--open);
}
.step--dead::before {
  border-color: var(--bad);
  background: var(--bad);
}
.step--waiting::before {
  border-style: dashed;
}
.step__title {
  font-weight: 550;
}
.step__time {
  font-size: 0.88rem;
  display: flex;
  flex-wrap: wrap;
  gap: 0 0.7rem;
}
.step__detail {
  font-size: 0.9rem;
  color: var(--soft);
}

/* Overview */
.wanted {
  display: grid;
  gap: 0.6rem;
}
.wanted ul {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr));
  gap: 0.6rem;
}
.tile {
  display: flex;
  flex-direction: column;
  height: 100%;
  padding: 0.6rem 0.9rem;
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: var(--radius);
  color: var(--soft);
  text-decoration: none;
}
.tile:hover {
  border-color: var(--field);
  color: var(--ink);
}
.tile strong {
  color: var(--ink);
  font-size: 1.5rem;
  font-weight: 650;
  line-height: 1.2;
}
.tile--some {
  background: var(--wait-wash);
  border-color: var(--wait);
  color: var(--wait);
}
.tile--some strong {
  color: var(--wait);
}
.windows {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  align-items: end;
  gap: 0.8rem;
}
.windows input {
  font-size: 0.88rem;
}
.headline {
  display: flex;
  flex-wrap: wrap;
  align-items: baseline;
  gap: 0 0.7rem;
}
.headline strong {
  font-size: 2.2rem;
  font-weight: 680;
  letter-spacing: -0.03em;
  line-height: 1.1;
}
.charts {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr));
  gap: 0.9rem;
}
.chart {
  display: flex;
  flex-direction: column;
  gap: 0.5rem;
  min-width: 0;
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: var(--radius);
  padding: 0.9rem 1rem;
}
.chart figcaption p {
  color: var(--soft);
  font-size: 0.88rem;
}
.chart__picture {
  position: relative;
  height: 11.5rem;
}
.numbers {
  margin-top: auto;
  font-size: 0.88rem;
}
.numbers > summary {
  color: var(--soft);
}
.numbers th,
.numbers td {
  text-align: left;
  font-weight: 400;
  padding: 0.15rem 0.4rem 0.15rem 0;
  border-top: 1px solid var(--line);
}
.numbers thead th {
  color: var(--soft);
  border: 0;
}
.numbers thead th:last-child {
  text-align: right;
}

@media (max-width: 62rem) {
  .columns {
    grid-template-columns: minmax(0, 1fr);
  }
}
/* On a phone a row is a card, and each cell says what it is. */
@media (max-width: 44rem) {
  .list thead {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  .list,
  .list tbody,
  .list tr,
  .list td {
    display: block;
  }
  .list tr {
    padding: 0.5rem 0.9rem;
  }
  .list tr + tr {
    border-top: 1px solid var(--line);
  }
  .list tr + tr td {
    border: 0;
  }
  .list td,
  .list .number {
    display: grid;
    grid-template-columns: 6.5rem minmax(0, 1fr);
    gap: 0.6rem;
    padding: 0.12rem 0;
    text-align: left;
  }
  .list td::before {
    content: attr(data-name);
    color: var(--soft);
    font-size: 0.85rem;
  }
  .list td:has(> .cell:empty) {
    display: none;
  }
  .cell {
    min-width: 0;
  }
  .find {
    flex-basis: 100%;
    max-width: none;
  }
}
@media (forced-colors: active) {
  .state,
  .tile--some,
  .tabs a[aria-current] {
    border: 1px solid;
  }
}
@media print {
  .menu,
  .find,
  form {
    display: none;
  }
}
`;
