import { html, type Html } from '../web/html.template.js';

/** Drawn here, so that the page loads nothing. They say what the name beside them says: hidden from screen readers. */
function picture(drawing: Html): Html {
  return html`<svg viewBox="0 0 240 200" aria-hidden="true" focusable="false">${drawing}</svg>`;
}

const SHADOW = html`<ellipse cx="120" cy="178" rx="74" ry="9" fill="#000" opacity=".14" />`;

export const PICTURES = {
  coffee: picture(
    html`${SHADOW}
      <path d="M82 60h76l9 108a9 9 0 0 1-9 10H82a9 9 0 0 1-9-10z" fill="#4a2c1d" />
      <path d="M140 60h18l9 108a9 9 0 0 1-9 10h-13z" fill="#351e13" />
      <path d="M80 34h80l-2 27H82z" fill="#6b432e" />
      <path d="M78 28h84a3 3 0 0 1 3 3v7H75v-7a3 3 0 0 1 3-3z" fill="#2a170e" />
      <rect x="91" y="82" width="58" height="68" rx="5" fill="#fff4de" />
      <g transform="rotate(30 120 108)">
        <ellipse cx="120" cy="108" rx="13" ry="18" fill="#7c4a2b" />
        <path
          d="M120 92c-8 10 8 22 0 32"
          stroke="#fff4de"
          stroke-width="3"
          fill="none"
          stroke-linecap="round"
        />
      </g>
      <path d="M102 138h36" stroke="#c0392b" stroke-width="4" stroke-linecap="round" />`,
  ),
  honey: picture(
    html`${SHADOW}
      <path d="M74 74h92q8 10 8 24v60q0 18-18 18H84q-18 0-18-18V98q0-14 8-24z" fill="#f2a30f" />
      <path d="M66 112h108v46q0 18-18 18H84q-18 0-18-18z" fill="#d98200" />
      <path
        d="M80 92q-4 8-4 22v34"
        stroke="#ffe3a1"
        stroke-width="6"
        fill="none"
        stroke-linecap="round"
      />
      <rect x="78" y="58" width="84" height="20" rx="4" fill="#f7d98d" />
      <rect x="72" y="34" width="96" height="30" rx="7" fill="#8c4a16" />
      <path d="M72 46h96" stroke="#a9622a" stroke-width="4" />
      <path d="m120 104 27 15v30l-27 15-27-15v-30z" fill="#fff4de" />
      <path d="m120 118 14 8v16l-14 8-14-8v-16z" fill="#f2a30f" />`,
  ),
  basket: picture(
    html`${SHADOW}
      <path
        d="M86 82c0-70 68-70 68 0"
        stroke="#5a3420"
        stroke-width="9"
        fill="none"
        stroke-linecap="round"
      />
      <path d="M62 78h116l-12 88q-2 12-14 12H88q-12 0-14-12z" fill="#f0d9a8" />
      <path d="M65 98h110l-3 18H68z" fill="#b5302a" />
      <path d="M69.500 126h101l-2 14h-97z" fill="#23595b" />
      <path d="M72.500 150h95l-2 12h-91z" fill="#b5302a" />
      <g stroke="#8a6a35" stroke-width="2" opacity=".45">
        <path d="M80 80l8 96M100 80l5 98M120 80v98M140 80l-5 98M160 80l-8 96" />
      </g>
      <rect x="58" y="70" width="124" height="14" rx="7" fill="#d9b877" />`,
  ),
  tea: picture(
    html`${SHADOW}
      <g stroke="#fff" stroke-width="6" fill="none" stroke-linecap="round" opacity=".75">
        <path d="M98 60c-10-12 10-18 0-32M122 60c-10-12 10-18 0-32" />
      </g>
      <path
        d="M158 96h14a20 20 0 0 1 0 42h-22"
        stroke="#fff"
        stroke-width="10"
        fill="none"
        stroke-linecap="round"
      />
      <path d="M60 80h104l-8 68q-3 22-24 22H92q-21 0-24-22z" fill="#fff" />
      <path d="M66 92h92l-6 54q-2 16-18 16H90q-16 0-18-16z" fill="#6d2e8c" />
      <path d="M66 92h92l-1 10H67z" fill="#8e4bb0" />
      <path d="M82 112l3 32" stroke="#b98ad0" stroke-width="6" stroke-linecap="round" />
      <rect x="42" y="168" width="140" height="10" rx="5" fill="#fff" />`,
  ),
  kikoi: picture(
    html`${SHADOW}
      <rect x="50" y="128" width="140" height="48" rx="14" fill="#f6f1e4" />
      <g fill="#d8432e"
        ><rect x="66" y="128" width="12" height="48" /><rect x="84" y="128" width="5" height="48"
      /></g>
      <g fill="#e9a70b"><rect x="150" y="128" width="18" height="48" /></g>
      <rect x="56" y="84" width="128" height="46" rx="14" fill="#0e6f82" />
      <g fill="#ffd166"
        ><rect x="74" y="84" width="14" height="46" /><rect x="94" y="84" width="4" height="46"
      /></g>
      <g fill="#fff"
        ><rect x="146" y="84" width="6" height="46" /><rect x="158" y="84" width="6" height="46"
      /></g>
      <rect x="62" y="42" width="116" height="44" rx="14" fill="#d8432e" />
      <g fill="#ffe9c9"
        ><rect x="84" y="42" width="8" height="44" /><rect x="98" y="42" width="8" height="44"
      /></g>
      <rect x="140" y="42" width="16" height="44" fill="#7a1f3d" />
      <path
        d="M74 176v10M84 176v10M94 176v10M104 176v10M114 176v10M124 176v10M134 176v10M144 176v10M154 176v10M164 176v10"
        stroke="#f6f1e4"
        stroke-width="3"
        stroke-linecap="round"
      />`,
  ),
  mango: picture(
    html`${SHADOW}
      <path d="M150 70c36 8 44 52 22 84-22 30-66 24-74-8-8-36 16-84 52-76z" fill="#f08a1d" />
      <path d="M172 92c12 20 8 46-8 64-14 14-34 14-46 6 34 0 58-32 54-70z" fill="#d9631a" />
      <path d="M98 62c38 2 54 42 38 76-16 36-60 40-78 10-18-34 4-88 40-86z" fill="#ffc02e" />
      <path d="M62 110c-4 18 0 34 10 44 20 20 50 8 62-14-24 22-62 14-72-30z" fill="#f39c12" />
      <path
        d="M98 62c0-10 4-18 12-22"
        stroke="#5a3420"
        stroke-width="6"
        fill="none"
        stroke-linecap="round"
      />
      <path d="M110 42c16-20 44-18 56-6-16 14-42 18-56 6z" fill="#2f8f46" />
      <path
        d="M114 41c14-6 30-8 48-5"
        stroke="#1d6a31"
        stroke-width="3"
        fill="none"
        stroke-linecap="round"
      />
      <path
        d="M82 82c-10 8-14 20-14 30"
        stroke="#ffe49a"
        stroke-width="7"
        fill="none"
        stroke-linecap="round"
      />`,
  ),
} as const satisfies Record<string, Html>;
