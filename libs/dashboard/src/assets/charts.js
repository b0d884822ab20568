// Draws the charts of the overview with Chart.js, from the same numbers as the tables beside them. Without this script the
// tables still show everything.

/**
 * @typedef {import('../overview/figure.dto.js').Figure} Figure
 * @typedef {import('chart.js').ChartConfiguration<any>} ChartConfiguration
 * @typedef {import('chart.js').TooltipItem<any>} TooltipItem
 */

const section = document.querySelector('[data-statistics]');
const darkMode = matchMedia('(prefers-color-scheme: dark)');
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** The global of Chart.js; undefined when its script did not load. @type {typeof import('chart.js').Chart | undefined} */
const Chart = Reflect.get(globalThis, 'Chart');

/** @type {Map<string, import('chart.js').Chart>} */
const drawn = new Map();

/**
 * The value of a design token.
 * @param {string} name
 */
const token = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/**
 * @param {Figure} figure
 * @returns {ChartConfiguration}
 */
function configurationOf(figure) {
  const shared = {
    responsive: true,
    maintainAspectRatio: false,
    animation: reducedMotion.matches ? false : { duration: 300 },
  };
  switch (figure.kind) {
    case 'doughnut':
      return doughnut(figure, shared);
    case 'line':
      return line(figure, shared);
    case 'bars':
      return bars(figure, shared);
  }
}

/**
 * @param {Figure} figure
 * @param {object} shared
 * @returns {ChartConfiguration}
 */
function doughnut(figure, shared) {
  return {
    type: 'doughnut',
    data: {
      labels: figure.labels,
      datasets: [
        {
          data: figure.values,
          backgroundColor: figure.tones?.map((tone) => token(`chart-${tone}`)),
          borderColor: token('paper'),
          borderWidth: 2,
        },
      ],
    },
    options: {
      ...shared,
      cutout: '66%',
      plugins: {
        legend: {
          position: 'right',
          labels: { color: token('ink'), boxWidth: 10, boxHeight: 10 },
        },
        tooltip: {
          callbacks: {
            label: (/** @type {TooltipItem} */ { label, dataIndex }) =>
              ` ${label}: ${figure.texts[dataIndex]}`,
          },
        },
      },
    },
  };
}

/**
 * @param {Figure} figure
 * @param {object} shared
 * @returns {ChartConfiguration}
 */
function line(figure, shared) {
  const { category, value } = axes();
  return {
    type: 'line',
    data: {
      labels: figure.ticks ?? figure.labels,
      datasets: [
        {
          data: figure.values,
          borderColor: token('chart-sky'),
          backgroundColor: token('chart-sky-tint'),
          fill: true,
          borderWidth: 2,
          pointRadius: 0,
          pointHitRadius: 12,
          tension: 0.25,
        },
      ],
    },
    options: {
      ...shared,
      plugins: plugins(figure),
      scales: {
        x: { ...category, ticks: { ...category.ticks, maxTicksLimit: 4 } },
        y: value,
      },
    },
  };
}

/**
 * @param {Figure} figure
 * @param {object} shared
 * @returns {ChartConfiguration}
 */
function bars(figure, shared) {
  const isCount = figure.unit === undefined;
  const { category, value } = axes();
  return {
    type: 'bar',
    data: {
      labels: figure.labels,
      datasets: [
        {
          data: figure.values,
          backgroundColor: token(isCount ? 'chart-bad' : 'chart-sky'),
          borderRadius: 4,
          maxBarThickness: 22,
        },
      ],
    },
    options: {
      ...shared,
      indexAxis: 'y',
      plugins: plugins(figure),
      scales: {
        x: {
          ...value,
          ticks: { ...value.ticks, ...(isCount && { precision: 0 }) },
          title: { display: !isCount, text: figure.unit, color: token('soft') },
        },
        y: { ...category, ticks: { color: token('ink'), autoSkip: false } },
      },
    },
  };
}

/**
 * No legend, and tooltips with the texts of the table.
 * @param {Figure} figure
 */
function plugins(figure) {
  return {
    legend: { display: false },
    tooltip: {
      callbacks: {
        title: (/** @type {TooltipItem[]} */ [item]) => item && figure.labels[item.dataIndex],
        label: (/** @type {TooltipItem} */ { dataIndex }) => ` ${figure.texts[dataIndex]}`,
      },
    },
  };
}

function axes() {
  const ink = token('soft');
  const rule = token('line');
  return {
    category: {
      grid: { display: false },
      border: { color: rule },
      ticks: { color: ink, maxRotation: 0, autoSkip: true },
    },
    value: {
      beginAtZero: true,
      grid: { color: rule },
      border: { display: false },
      ticks: { color: ink, maxTicksLimit: 6 },
    },
  };
}

/**
 * @param {HTMLElement} charts
 * @param {typeof import('chart.js').Chart} Library
 * @param {readonly Figure[]} figures
 */
function draw(charts, Library, figures) {
  Library.defaults.font.family = getComputedStyle(document.body).fontFamily;
  for (const figure of figures) {
    const picture = charts.querySelector(`[data-figure="${figure.name}"]`);
    const canvas = picture?.querySelector('canvas');
    const isEmpty = figure.labels.length === 0 || figure.values.every((value) => value === 0);
    if (!(picture instanceof HTMLElement) || !canvas || isEmpty) continue;
    picture.hidden = false;
    drawn.get(figure.name)?.destroy();
    drawn.set(figure.name, new Library(canvas, configurationOf(figure)));
  }
  charts.dataset['drawn'] = 'true';
}

/**
 * @param {HTMLElement} charts
 * @param {typeof import('chart.js').Chart} Library
 */
async function start(charts, Library) {
  const response = await fetch(String(charts.dataset['statistics']), {
    headers: { accept: 'application/json' },
  });
  if (!response.ok) throw new Error(`The statistics could not be read: ${response.status}.`);
  const { figures } = await response.json();
  draw(charts, Library, figures);
  darkMode.addEventListener('change', () => draw(charts, Library, figures));
}

if (section instanceof HTMLElement && Chart) {
  start(section, Chart).catch(() => {
    // The tables have the same numbers: open them instead.
    for (const table of section.querySelectorAll('details')) table.open = true;
  });
}
