/** What the browser loads as `handset.css`: text, so that it is there from the source, the build and the package alike. */
export const HANDSET_STYLE = String.raw`.picker {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem;
  align-items: end;
  margin-top: 1.25rem;
}
.picker .field {
  flex: 1 1 14rem;
  max-width: 22rem;
}
.handsets {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 21.5rem));
  gap: 2.5rem 2.75rem;
  margin-top: 1.75rem;
  justify-content: start;
}
.handset {
  display: grid;
  gap: 0.9rem;
  width: 100%;
  max-width: 22rem;
  align-content: start;
}
.handset__head {
  display: flex;
  flex-wrap: wrap;
  justify-content: space-between;
  align-items: baseline;
  gap: 0.25rem 1rem;
}
.handset__head h2 {
  font-family: var(--digits);
  font-size: 1.15rem;
  letter-spacing: -0.03em;
}
.phone {
  position: relative;
  padding: 0.6rem;
  border-radius: 2.9rem;
  background: #10231a;
  box-shadow:
    0 0 0 2px #2f463b,
    0 24px 48px rgb(16 35 26 / 25%);
}
.phone__screen {
  position: relative;
  display: flex;
  flex-direction: column;
  height: 37rem;
  overflow: hidden;
  border-radius: 2.3rem;
  background: linear-gradient(165deg, #0f7d50, #0a5f4a 45%, #123f57);
  color: #fff;
}
.phone--off .phone__screen {
  background: #050806;
}
.phone__bar {
  display: flex;
  justify-content: space-between;
  align-items: center;
  padding: 0.85rem 1.5rem 0.3rem;
  font-size: 0.875rem;
  font-weight: 700;
  font-variant-numeric: tabular-nums;
}
.phone__bar svg {
  width: 3rem;
  height: 0.9rem;
  fill: currentcolor;
}
.phone--off .phone__bar {
  visibility: hidden;
}
.face {
  flex: 1;
  display: flex;
  flex-direction: column;
  min-height: 0;
  padding: 0.5rem 1.1rem 1.1rem;
}
.face__clock {
  margin: 1rem 0 0;
  font-size: 3.6rem;
  font-weight: 300;
  line-height: 1;
  letter-spacing: -0.04em;
  text-align: center;
  font-variant-numeric: tabular-nums;
}
.face__date {
  margin-top: 0.35rem;
  text-align: center;
  font-size: 0.9375rem;
}
.last {
  margin-top: 1.25rem;
  padding: 0.8rem 1rem;
  border-radius: 16px;
  background: rgb(255 255 255 / 94%);
  color: #10231a;
}
.last strong {
  display: block;
}
.last {
  display: grid;
  grid-template-columns: auto 1fr;
  gap: 0 0.8rem;
  align-items: center;
}
.last::before {
  content: '✓';
  grid-row: span 2;
  display: grid;
  place-items: center;
  width: 2.2rem;
  height: 2.2rem;
  border-radius: 50%;
  background: #0a7a4b;
  color: #fff;
  font-weight: 800;
}
.last--bad::before {
  content: '✕';
  background: #b3261e;
}
.inbox {
  flex: 1;
  display: flex;
  flex-direction: column;
  min-height: 0;
  margin-top: 1.1rem;
}
.inbox h3 {
  font-size: 0.9375rem;
  letter-spacing: 0;
}
.inbox__list {
  display: grid;
  gap: 0.5rem;
  margin-top: 0.5rem;
  padding: 2px;
  overflow: auto;
  align-content: start;
  flex: 1;
}
.inbox__list li {
  padding: 0.65rem 0.9rem;
  border-radius: 4px 16px 16px;
  background: rgb(255 255 255 / 94%);
  color: #10231a;
  font-size: 0.9375rem;
}
.inbox__from {
  display: flex;
  justify-content: space-between;
  gap: 1rem;
  color: #4b5d53;
  font-size: 0.8125rem;
}
.inbox__text {
  display: block;
  unicode-bidi: isolate;
}
.inbox__none {
  margin-top: 0.4rem;
  font-size: 0.9375rem;
}
.face--off {
  align-items: center;
  justify-content: center;
  gap: 1.25rem;
  text-align: center;
}
.prompt {
  position: absolute;
  inset: 2.5rem 0.6rem 0.6rem;
  display: flex;
  flex-direction: column;
  padding: 1.1rem;
  border-radius: 1.7rem;
  background: #fff;
  color: #10231a;
  box-shadow: 0 12px 32px rgb(0 0 0 / 35%);
  animation: rise 260ms ease-out;
}
@keyframes rise {
  from {
    transform: translateY(1.5rem);
    opacity: 0;
  }
}
.prompt__from {
  color: #4b5d53;
  font-size: 0.8125rem;
  font-weight: 700;
}
.prompt__amount {
  margin-top: 0.35rem;
  font-size: 1.9rem;
  letter-spacing: -0.04em;
}
.prompt__till {
  font-size: 0.9688rem;
}
.prompt__note {
  margin-top: 0.35rem;
  color: #8a4b00;
  font-size: 0.875rem;
  font-weight: 600;
}
.prompt label {
  margin-top: 0.7rem;
  font-weight: 700;
  font-size: 0.875rem;
}
.prompt input[type='password'] {
  min-height: 2.6rem;
  background: #f3f6f0;
  border-color: #7d8f84;
  color: #10231a;
  font: 700 1.4rem/1 var(--digits);
  letter-spacing: 0.4em;
  text-align: center;
}
.prompt :focus-visible {
  outline-color: #0a6b42;
}
.keypad {
  display: grid;
  grid-template-columns: repeat(3, 1fr);
  gap: 0.35rem;
  margin-top: 0.6rem;
  flex: 1;
}
.keypad button {
  min-height: 2.4rem;
  border: 0;
  border-radius: 14px;
  background: #eef3ec;
  color: #10231a;
  font: 600 1.25rem/1 var(--words);
  cursor: pointer;
}
.keypad button:hover {
  background: #dfe9dd;
}
.keypad button:active {
  background: #cfe3d6;
}
.keypad svg {
  width: 1.5rem;
  height: 1.5rem;
  margin: 0 auto;
  fill: none;
  stroke: currentcolor;
  stroke-width: 2;
  stroke-linecap: round;
  stroke-linejoin: round;
}
.prompt__ends {
  display: grid;
  grid-template-columns: 1fr 1fr;
  gap: 0.6rem;
  margin-top: 0.7rem;
}
.prompt .button {
  background: #0a6b42;
  color: #fff;
}
.prompt .button:hover {
  background: #074d30;
}
.prompt .button--bad {
  background: #fff;
  color: #b3261e;
}
.prompt .button--bad:hover {
  background: #b3261e;
  color: #fff;
}
.face--off .button {
  background: #37c787;
  color: #04261a;
}
.handset__does {
  display: flex;
  flex-wrap: wrap;
  gap: 0.45rem;
}
.handset .field select {
  min-height: 2.3rem;
  font-size: 0.9375rem;
}
.handset__news {
  min-height: 1.5em;
  font-size: 0.9375rem;
}
.handset__news--bad {
  color: var(--bad);
  font-weight: 600;
}
@media (width < 48rem) {
  .handsets {
    justify-content: center;
  }
}
`;
