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
 * Returns the value of a design token.
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
  return figure.kind === 'lines' ? lines(figure, shared) : bars(figure, shared);
}

/** Lines differ in their strokes, and not only in their colours. */
const STROKES = [[], [6, 4], [2, 3]];
const COLOURS = ['chart-sky', 'chart-violet', 'chart-grey'];

/**
 * @param {Figure} figure
 * @param {object} shared
 * @returns {ChartConfiguration}
 */
function lines(figure, shared) {
  const { category, value } = axes();
  const isOnly = figure.series.length === 1;
  return {
    type: 'line',
    data: {
      labels: figure.ticks ?? figure.labels,
      datasets: figure.series.map(({ name, values }, index) => ({
        label: name,
        data: values,
        borderColor: token(COLOURS[index] ?? 'chart-grey'),
        backgroundColor: token('chart-sky-tint'),
        borderDash: STROKES[index] ?? [],
        fill: isOnly,
        borderWidth: 2,
        // A value between two that are missing has no line.
        pointRadius: values.length <= 31 ? 2 : 0,
        pointHitRadius: 12,
        tension: 0.25,
      })),
    },
    options: {
      ...shared,
      plugins: {
        ...plugins(figure),
        legend: {
          display: !isOnly,
          labels: { color: token('ink'), boxWidth: 28, boxHeight: 0, usePointStyle: false },
        },
      },
      scales: {
        x: { ...category, ticks: { ...category.ticks, maxTicksLimit: 6 } },
        y: { ...value, ...(figure.unit === '%' && { max: 100 }), title: unitOf(figure) },
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
  const isStanding = figure.kind === 'columns';
  const { category, value } = axes();
  const counts = {
    ...value,
    ticks: { ...value.ticks, ...(isCount && { precision: 0 }) },
    title: unitOf(figure),
  };
  const names = isStanding
    ? { ...category, ticks: { ...category.ticks, maxTicksLimit: 6 } }
    : { ...category, ticks: { color: token('ink'), autoSkip: false } };
  return {
    type: 'bar',
    data: {
      labels: figure.ticks ?? figure.labels,
      datasets: figure.series.map(({ values }) => ({
        data: values,
        backgroundColor: token(figure.name === 'reasons' ? 'chart-bad' : 'chart-sky'),
        borderRadius: 4,
        maxBarThickness: 22,
      })),
    },
    options: {
      ...shared,
      indexAxis: isStanding ? 'x' : 'y',
      plugins: plugins(figure),
      scales: isStanding ? { x: names, y: counts } : { x: counts, y: names },
    },
  };
}

/** @param {Figure} figure */
function unitOf({ unit }) {
  return { display: unit !== undefined && unit !== '', text: unit, color: token('soft') };
}

/**
 * Shows no legend, and tooltips with the texts of the table.
 * @param {Figure} figure
 */
function plugins(figure) {
  return {
    legend: { display: false },
    tooltip: {
      callbacks: {
        title: (/** @type {TooltipItem[]} */ [item]) => item && figure.labels[item.dataIndex],
        label: (/** @type {TooltipItem} */ { dataIndex, datasetIndex }) => {
          const series = figure.series[datasetIndex];
          return series ? ` ${series.name}: ${series.texts[dataIndex]}` : '';
        },
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
    const isEmpty = figure.series.every(({ values }) => values.every((value) => !value));
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
