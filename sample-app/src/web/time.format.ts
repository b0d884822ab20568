const NAIROBI = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Nairobi',
  dateStyle: 'medium',
  timeStyle: 'short',
});

/** `21 Nov 2026, 14:05` where the shop stands. Times that cannot be read are shown as they came. */
export function formatTime(time: Date | string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : NAIROBI.format(date);
}
