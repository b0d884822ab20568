import { describe, expect, it } from '@jest/globals';
import { DashboardConfigurationError } from '../dashboard.errors.js';
import { TimeZones } from './time-zones.service.js';

const shown = (zones: TimeZones, cookie?: string, url = '/') =>
  zones.timesFor({ url, headers: { ...(cookie !== undefined && { cookie }) } });
const zoneOf = (zones: TimeZones, cookie?: string, url?: string): string =>
  shown(zones, cookie, url).times.zone;

describe('The time zone of a page', () => {
  it.each([
    ['has a known zone', 'Africa/Nairobi', 'tillkit-time-zone=Africa/Nairobi'],
    ['is one of several', 'Africa/Nairobi', 'a=b; tillkit-time-zone=Africa%2FNairobi; c=d'],
    ['has a distance from UTC', 'Etc/GMT+3', 'tillkit-time-zone=Etc/GMT+3'],
    ['has an unknown zone', 'UTC', 'tillkit-time-zone=Mars'],
    ['cannot be decoded', 'UTC', 'tillkit-time-zone=%E0%A4%A'],
    ['has another name', 'UTC', 'not-tillkit-time-zone=Africa/Nairobi'],
    ['is empty', 'UTC', ''],
    ['is missing', 'UTC', undefined],
  ])('of a browser whose cookie %s is %s', (_, zone, cookie) => {
    expect(zoneOf(new TimeZones({}), cookie)).toBe(zone);
    expect(zoneOf(new TimeZones({ timeZone: 'viewer' }), cookie)).toBe(zone);
  });

  it('is that of the options for every browser when the options have one', () => {
    const zones = new TimeZones({ timeZone: 'Africa/Kampala' });
    expect(zoneOf(zones, 'tillkit-time-zone=Africa/Nairobi')).toBe('Africa/Kampala');
    expect(zoneOf(zones, '', '/statement?zone=Africa/Lagos')).toBe('Africa/Kampala');
    expect(shown(zones).ownZone).toBe(null);
  });

  it('is that of a shared address when the address names a known time zone', () => {
    const cookie = 'tillkit-time-zone=Africa/Nairobi';
    const address = (zone: string): string => `/statement?day=2026-11-25&zone=${zone}`;
    expect(zoneOf(new TimeZones({}), cookie, address('Africa%2FLagos'))).toBe('Africa/Lagos');
    for (const zone of ['', 'Mars', '%00'])
      expect(zoneOf(new TimeZones({}), cookie, address(zone))).toBe('Africa/Nairobi');
    const { ownZone } = shown(new TimeZones({}), cookie, address('Africa/Lagos'));
    expect(ownZone).toBe('Africa/Nairobi');
  });

  it('is refused in the options when it is unknown', () => {
    expect(() => new TimeZones({ timeZone: 'Mars' })).toThrow(DashboardConfigurationError);
  });
});
