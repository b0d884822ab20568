import {
  PlatformRejectedError,
  PlatformUnauthorizedError,
  PlatformUnreachableError,
  TokensService,
} from '@tillkit/payments';
import { withoutDatabase } from '../account-context.js';
import { causeOf, exchange } from '../http-answer.js';
import type { ExaminedAccount } from '../examined-account.js';
import { failed, ok, warning, type Check, type Finding } from './check.js';

/** With a larger difference between the clocks, something else on the machine will fail. */
const NOTICEABLE_MS = 5_000;
const HARMFUL_MS = 5 * 60_000;

/** Always requests a token from the platform, because the memory of this process has none yet. */
export function tokenCheck(account: ExaminedAccount, environment: NodeJS.ProcessEnv): Check {
  return {
    name: 'token',
    needs: ['settings'],
    run: async () => {
      try {
        await withoutDatabase(account, environment, (own) => own.get(TokensService).get());
        return ok(
          `the platform gave an access token to the client id of account "${account.name}"`,
        );
      } catch (error) {
        return tokenFailure(error);
      }
    },
  };
}

function tokenFailure(error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PlatformUnauthorizedError || error instanceof PlatformRejectedError)
    return failed(
      message,
      'Compare PAYMENTS_CLIENT_ID and PAYMENTS_CLIENT_SECRET with the portal, and PAYMENTS_BASE_URL with its environment: the sandbox and production have different credentials.',
    );
  if (error instanceof PlatformUnreachableError)
    return failed(
      message,
      'Check PAYMENTS_BASE_URL (and PAYMENTS_TOKEN_BASE_URL), DNS, and whether this machine may connect to the internet.',
    );
  return failed(message, 'Try again in a minute; then ask the operator of the platform.');
}

/** Compares our clock with the `Date` header of the platform. */
export function clockCheck({ baseUrl }: ExaminedAccount): Check {
  return {
    name: 'clock',
    run: async (signal) => {
      if (!baseUrl)
        return { verdict: 'skipped', found: 'no PAYMENTS_BASE_URL is known', cure: null };
      const sentAt = Date.now();
      const answer = await exchange(baseUrl, { method: 'HEAD', signal }).catch((error: unknown) =>
        causeOf(error),
      );
      if (typeof answer === 'string')
        return failed(
          `${baseUrl} gave no answer: ${answer}`,
          'Check PAYMENTS_BASE_URL, DNS, and whether this machine may connect to the internet.',
        );
      return judgeClock(answer.date, sentAt, Date.now());
    },
  };
}

/** The header has whole seconds, so on average the real time is half a second later. */
export function judgeClock(date: string | null, sentAt: number, receivedAt: number): Finding {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs))
    return warning(
      'the answer of the platform has no Date header, so the clocks cannot be compared',
      'Make sure that this machine gets its time by NTP.',
    );
  const differenceMs = (sentAt + receivedAt) / 2 - (theirs + 500);
  const seconds = Math.abs(Math.round(differenceMs / 1000));
  const found =
    seconds === 0
      ? 'our clock agrees with that of the platform'
      : `our clock is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} that of the platform`;
  if (Math.abs(differenceMs) <= NOTICEABLE_MS) return ok(found);
  const cure = 'Let this machine get its time by NTP: timedatectl set-ntp true.';
  return Math.abs(differenceMs) > HARMFUL_MS ? failed(found, cure) : warning(found, cure);
}
