/**
 * What the overview loads beside Chart.js: draws each chart from the numbers that its table has as well. Without it the
 * tables are all there is, and enough.
 */
export const CHARTS_SCRIPT = String.raw`'use strict';
(() => {
  const place = document.querySelector('[data-statistics]');
  if (!place || typeof Chart === 'undefined') return;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const drawn = new Map();

  const paint = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

  function settingsOf(figure) {
    const ink = paint('soft');
    const line = paint('line');
    const tones = figure.tones?.map((tone) => paint('chart-' + tone));
    const words = {
      callbacks: {
        title: ([item]) => figure.labels[item.dataIndex],
        label: (item) => ' ' + figure.words[item.dataIndex],
      },
    };
    const shared = {
      responsive: true,
      maintainAspectRatio: false,
      animation: calm.matches ? false : { duration: 300 },
      plugins: { legend: { display: false }, tooltip: words },
    };
    const axis = { grid: { color: line }, border: { display: false }, ticks: { color: ink, maxTicksLimit: 6, ...(figure.name === 'reasons' && { precision: 0 }) } };
    const bare = { grid: { display: false }, border: { color: line }, ticks: { color: ink, maxRotation: 0, autoSkip: true } };
    if (figure.kind === 'doughnut') {
      return {
        type: 'doughnut',
        data: { labels: figure.labels, datasets: [{ data: figure.values, backgroundColor: tones, borderColor: paint('paper'), borderWidth: 2 }] },
        options: {
          ...shared,
          cutout: '66%',
          plugins: {
            legend: { position: 'right', labels: { color: paint('ink'), boxWidth: 10, boxHeight: 10 } },
            tooltip: { callbacks: { label: (item) => ' ' + item.label + ': ' + figure.words[item.dataIndex] } },
          },
        },
      };
    }
    if (figure.kind === 'line') {
      return {
        type: 'line',
        data: {
          labels: figure.ticks,
          datasets: [{
            data: figure.values,
            borderColor: paint('chart-sky'),
            backgroundColor: paint('chart-sky-wash'),
            fill: true,
            borderWidth: 2,
            pointRadius: 0,
            pointHitRadius: 12,
            tension: 0.25,
          }],
        },
        options: { ...shared, scales: { x: { ...bare, ticks: { ...bare.ticks, maxTicksLimit: 4 } }, y: { ...axis, beginAtZero: true } } },
      };
    }
    return {
      type: 'bar',
      data: {
        labels: figure.labels,
        datasets: [{ data: figure.values, backgroundColor: paint('chart-' + (figure.name === 'reasons' ? 'bad' : 'sky')), borderRadius: 4, maxBarThickness: 22 }],
      },
      options: {
        ...shared,
        indexAxis: 'y',
        scales: {
          x: { ...axis, beginAtZero: true, title: { display: figure.name !== 'reasons', text: 'seconds', color: ink } },
          y: { ...bare, ticks: { color: paint('ink'), autoSkip: false } },
        },
      },
    };
  }

  function draw(figures) {
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    for (const figure of figures) {
      const picture = place.querySelector('[data-figure="' + figure.name + '"]');
      const isEmpty = figure.labels.length === 0 || figure.values.every((value) => value === 0);
      if (!picture || isEmpty) continue;
      picture.hidden = false;
      drawn.get(figure.name)?.destroy();
      drawn.set(figure.name, new Chart(picture.querySelector('canvas'), settingsOf(figure)));
    }
    place.dataset.drawn = 'true';
  }

  fetch(place.dataset.statistics, { headers: { accept: 'application/json' } })
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(String(response.status)))))
    .then(({ figures }) => {
      draw(figures);
      dark.addEventListener('change', () => draw(figures));
    })
    // The tables say the same: they are opened where the pictures cannot be had.
    .catch(() => {
      for (const numbers of place.querySelectorAll('details')) numbers.open = true;
    });
})();
`;
