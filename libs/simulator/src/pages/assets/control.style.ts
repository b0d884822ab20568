/** What the browser loads as `control.css`: text, so that it is there from the source, the build and the package alike. */
export const CONTROL_STYLE = String.raw`.desk {
  display: grid;
  gap: 1.25rem;
  margin-top: 1.25rem;
}
.desk > * {
  min-width: 0;
}
@media (width >= 64rem) {
  .desk {
    grid-template-columns: minmax(0, 1fr) 25rem;
    align-items: start;
  }
  .desk__side {
    position: sticky;
    top: 1rem;
    max-height: calc(100vh - 2rem);
    overflow: auto;
    border-radius: var(--radius);
  }
}
.desk__side {
  display: grid;
  gap: 1.25rem;
  grid-template-columns: minmax(0, 1fr);
}
.head {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 1rem 2rem;
}
.now {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.6rem 1rem;
  padding: 0.7rem 0.8rem 0.7rem 1.2rem;
  border-radius: var(--radius);
  background: #10231a;
  color: #ebf3ee;
}
.now__time {
  font: 700 1.35rem/1.1 var(--digits);
  letter-spacing: -0.03em;
  font-variant-numeric: tabular-nums;
}
.now__label {
  display: block;
  color: #a9c2b4;
  font-size: 0.8125rem;
}
.now .button {
  background: #21392e;
  color: #ebf3ee;
}
.now .button:hover {
  background: var(--sun);
  color: var(--on-sun);
}
.now :focus-visible {
  outline-color: var(--sun);
}
.news {
  display: flex;
  align-items: center;
  gap: 0.6rem;
  min-height: 2.4rem;
  margin-top: 0.9rem;
  color: var(--soft);
}
.news::before {
  content: '';
  flex: none;
  width: 0.7rem;
  height: 0.7rem;
  border-radius: 50%;
  background: var(--good);
}
.news--bad {
  color: var(--bad);
  font-weight: 600;
}
.news--bad::before {
  background: var(--bad);
}
.journal {
  padding: 0;
  overflow: hidden;
}
.journal__head {
  display: grid;
  gap: 0.8rem;
  padding: 1.1rem 1.25rem;
  border-bottom: 1px solid var(--line);
}
.journal__title {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  align-items: baseline;
  gap: 0.2rem 1rem;
}
.filters {
  display: grid;
  grid-template-columns: minmax(0, 1fr) minmax(0, 12rem) auto auto;
  gap: 0.6rem;
  align-items: end;
}
@media (width < 44rem) {
  .filters {
    grid-template-columns: minmax(0, 1fr) auto auto;
  }
  .filters .field:first-child {
    grid-column: 1 / -1;
  }
  .now {
    padding: 0.8rem 1rem;
  }
  .now .row {
    gap: 0.35rem;
  }
  .now .button {
    padding: 0.25rem 0.65rem;
  }
}
.button[aria-pressed='true'] {
  background: var(--sun);
  color: var(--on-sun);
  box-shadow: none;
}
.entries__none {
  padding: 3rem 1.25rem;
  color: var(--soft);
  text-align: center;
}
.entry + .entry {
  border-top: 1px solid var(--line);
}
.entry summary {
  display: grid;
  grid-template-columns: 4.7rem 5.4rem minmax(0, 1fr) auto;
  gap: 0.15rem 0.9rem;
  align-items: baseline;
  padding: 0.6rem 1.25rem;
  cursor: pointer;
  list-style: none;
}
.entry summary::-webkit-details-marker {
  display: none;
}
.entry summary:hover {
  background: var(--ground);
}
.entry summary:focus-visible {
  outline-offset: -3px;
}
.entry details[open] > summary {
  background: var(--ground);
  font-weight: 600;
}
.entry--new {
  animation: arrive 900ms ease-out;
}
@keyframes arrive {
  from {
    background: var(--wait-wash);
  }
}
.entry__time {
  color: var(--soft);
  font-family: var(--digits);
  font-size: 0.8438rem;
}
.entry__kind {
  font-size: 0.8125rem;
  font-weight: 700;
}
.entry--request .entry__kind {
  color: var(--sky);
}
.entry--attempt .entry__kind {
  color: var(--good);
}
.entry--happening .entry__kind {
  color: var(--soft);
}
.entry__what {
  font-size: 0.9375rem;
  unicode-bidi: isolate;
  overflow: hidden;
  display: -webkit-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
}
.entry__marks {
  display: flex;
  flex-wrap: wrap;
  gap: 0.3rem;
  justify-content: end;
}
.mark {
  padding: 0.05rem 0.55rem;
  border-radius: 999px;
  background: var(--good-wash);
  color: var(--good);
  font-size: 0.8125rem;
  font-weight: 700;
  white-space: nowrap;
}
.mark--bad {
  background: var(--bad-wash);
  color: var(--bad);
}
.mark--fault {
  background: var(--wait-wash);
  color: var(--wait);
}
.mark--plain {
  background: transparent;
  color: var(--soft);
  box-shadow: inset 0 0 0 1px var(--line);
}
@media (width < 44rem) {
  .entry summary {
    grid-template-columns: auto 1fr;
    padding: 0.6rem 1rem;
  }
  .entry__what {
    grid-column: 1 / -1;
  }
  .entry__marks {
    grid-column: 1 / -1;
    justify-content: start;
  }
  .journal__head {
    padding: 1rem;
  }
}
.look {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 1rem;
  padding: 0.9rem 1.25rem 1.4rem;
  background: var(--ground);
}
.look__sides {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 1rem;
}
@media (width >= 80rem) {
  .look__sides--two {
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  }
}
.look h3 {
  margin-bottom: 0.4rem;
  font-size: 0.9375rem;
  letter-spacing: -0.01em;
}
.look__url {
  font-size: 0.9375rem;
  unicode-bidi: isolate;
}
.wire {
  max-height: 22rem;
  padding: 0.75rem 0.9rem;
  overflow: auto;
  border: 1px solid var(--line);
  border-radius: 12px;
  background: var(--paper);
  font: 400 0.8438rem/1.5 var(--digits);
  white-space: pre-wrap;
  overflow-wrap: anywhere;
  unicode-bidi: isolate;
  direction: ltr;
  text-align: left;
}
.wire + .wire {
  margin-top: 0.5rem;
}
.wire__name {
  color: var(--sky);
}
.acts {
  display: flex;
  flex-wrap: wrap;
  gap: 0.6rem;
  align-items: center;
}
.acts__pair {
  max-width: 100%;
  display: inline-flex;
  gap: 0.3rem;
  align-items: center;
}
.acts select {
  width: auto;
  max-width: 11rem;
  min-height: 2rem;
  padding: 0.1rem 0.5rem;
  border-radius: 999px;
  background: var(--paper);
  font-size: 0.875rem;
}
.acts .button {
  flex: none;
  background: var(--paper);
  white-space: nowrap;
}
.acts .button:hover:not(:disabled) {
  background: var(--leaf);
}
.acts + p {
  margin-top: 0.5rem;
}
.look > section {
  padding: 0.9rem 1rem;
  border-radius: 14px;
  background: var(--paper);
  box-shadow: inset 0 0 0 1px var(--line);
}
.tries {
  display: grid;
  gap: 0.25rem;
  margin: 0.4rem 0 0.8rem;
  font-size: 0.9375rem;
}
.tries li {
  display: flex;
  flex-wrap: wrap;
  gap: 0.2rem 0.6rem;
  align-items: baseline;
}
.till {
  display: grid;
  grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  gap: 0.7rem;
  margin-top: 0.8rem;
}
.till .field--wide,
.till .button {
  grid-column: 1 / -1;
}
.dials__head {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  align-items: center;
  gap: 0.5rem;
}
.dials__match {
  display: grid;
  grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
  gap: 0.7rem;
  margin: 0.8rem 0 0.9rem;
}
.dials__group {
  border-top: 1px solid var(--line);
}
.dials__group > summary {
  display: flex;
  justify-content: space-between;
  gap: 1rem;
  padding: 0.7rem 0.1rem;
  font-weight: 700;
  cursor: pointer;
}
.dials__group > summary::before {
  content: '▸';
  color: var(--soft);
}
.dials__group[open] > summary::before {
  content: '▾';
}
.dials__group > summary > :first-child {
  flex: 1;
}
.dial {
  display: grid;
  grid-template-columns: minmax(0, 1fr) 3.2rem auto;
  gap: 0.1rem 0.7rem;
  align-items: center;
  padding: 0.55rem 0.1rem;
}
.dial + .dial {
  border-top: 1px dashed var(--line);
}
.dial__name {
  grid-column: 1 / -1;
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  gap: 0 0.7rem;
  font-weight: 700;
  font-size: 0.9375rem;
}
.dial__what {
  grid-column: 1 / -1;
  color: var(--soft);
  font-size: 0.875rem;
}
.dial output {
  font: 700 0.9375rem var(--digits);
  text-align: right;
  font-variant-numeric: tabular-nums;
}
.dial--set output {
  color: var(--bad);
}
.dial__struck {
  color: var(--wait);
  font-weight: 600;
  font-size: 0.8438rem;
}
.fold {
  padding: 0;
}
.fold > summary {
  display: flex;
  justify-content: space-between;
  align-items: center;
  padding: 1rem 1.25rem;
  border-radius: var(--radius);
  list-style: none;
  cursor: pointer;
}
.fold > summary::-webkit-details-marker {
  display: none;
}
.fold > summary::after {
  content: '+';
  color: var(--leaf);
  font-size: 1.5rem;
  font-weight: 700;
  line-height: 1;
}
.fold[open] > summary::after {
  content: '–';
}
.fold > summary:focus-visible {
  border-radius: var(--radius);
  outline-offset: -3px;
}
.fold > :not(summary) {
  margin-right: 1.25rem;
  margin-left: 1.25rem;
}
.fold > :last-child {
  padding-bottom: 1.25rem;
}
`;
