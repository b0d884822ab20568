import { once } from 'node:events';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { ExaminedAccount } from '../examined-account.js';
import { failed, ok, skipped, warning, type Check, type Finding } from './check.js';

const DAY = 86_400_000;

/** Certificates of 90 days are usually renewed 30 days before their end, so 21 days are late. */
const RENEWED_BEFORE_DAYS = 21;

/** The certificate of a TLS server. */
export interface ShownCertificate {
  /** The code of OpenSSL or Node.js that says why the certificate is not trusted; null when it is. */
  problem: string | null;
  names: string;
  validFrom: Date;
  validTo: Date;
  issuer: string;
}

/** Checks expiry, host name and chain of the certificate at the public URL. */
export function certificateCheck({ publicUrl }: ExaminedAccount): Check {
  return {
    name: 'certificate',
    run: async (signal) => {
      if (!publicUrl) return skipped('no PAYMENTS_PUBLIC_URL is known');
      const url = new URL(publicUrl);
      if (url.protocol !== 'https:') return skipped('PAYMENTS_PUBLIC_URL is http: on this machine');
      const shown = await shownCertificate(url, signal);
      return typeof shown === 'string'
        ? failed(
            `${url.host} speaks no TLS: ${shown}`,
            'Start the server with TLS there, or correct the port of PAYMENTS_PUBLIC_URL.',
          )
        : judgeCertificate(url.hostname, shown, new Date());
    },
  };
}

async function shownCertificate(url: URL, signal: AbortSignal): Promise<ShownCertificate | string> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const socket: TLSSocket = connect({
    host,
    port: Number(url.port || 443),
    ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host }),
    // We judge the certificate ourselves, so that we can describe a wrong one.
    rejectUnauthorized: false,
  });
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end);
  try {
    await once(socket, 'secureConnect', { signal });
    const certificate = socket.getPeerCertificate();
    const error = socket.authorizationError as Error | string | null | undefined;
    return { ...described(certificate), problem: problemOf(error) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function problemOf(error: Error | string | null | undefined): string | null {
  if (!error) return null;
  return typeof error === 'string'
    ? error
    : ((error as NodeJS.ErrnoException).code ?? error.message);
}

function described(certificate: PeerCertificate): Omit<ShownCertificate, 'problem'> {
  const { subject, issuer, subjectaltname, valid_from: from, valid_to: to } = certificate;
  return {
    names: subjectaltname ?? String(subject?.CN ?? ''),
    validFrom: new Date(from),
    validTo: new Date(to),
    issuer: String(issuer?.O ?? issuer?.CN ?? 'an unknown issuer'),
  };
}

export function judgeCertificate(host: string, shown: ShownCertificate, now: Date): Finding {
  const { problem, validFrom, validTo, names, issuer } = shown;
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY);
  if (validTo <= now)
    return failed(
      `the certificate of ${host} expired on ${dayOf(validTo)}`,
      'Renew it, and let the server load the new one: the platform delivers nothing until then.',
    );
  if (validFrom > now)
    return failed(
      `the certificate of ${host} is valid only from ${dayOf(validFrom)}`,
      'Correct the clock of this machine or of the one that made the certificate.',
    );
  if (problem === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return failed(
      `the certificate is for ${names || 'no name'}, and not for ${host}`,
      `Get a certificate for ${host}, or correct PAYMENTS_PUBLIC_URL.`,
    );
  if (
    problem === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' ||
    problem === 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'
  )
    return failed(
      `the chain of the certificate of ${host} is not complete, or its issuer (${issuer}) is not trusted`,
      'Let the server send the intermediate certificates too (the file fullchain.pem), from a public certificate authority.',
    );
  if (problem)
    return failed(
      `the certificate of ${host} is not trusted (${problem}, issued by ${issuer})`,
      'Get a certificate from a public certificate authority: the platform trusts no other.',
    );
  const found = `the certificate of ${host} is valid for ${days} more days, until ${dayOf(validTo)}`;
  return days < RENEWED_BEFORE_DAYS
    ? warning(found, 'Find out why it was not renewed yet.')
    : ok(found);
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
