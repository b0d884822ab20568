import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import { type ProxyProgram, SETTINGS } from '../support/proxy.programs.js';

/** What stands behind a reverse proxy. */
interface Behind {
  /** The block of docs/proxies.md. */
  readonly block: string;
  /** The port of the application. */
  readonly to: number;
}

/** A reverse proxy with TLS, from its Debian package. */
export interface Front extends ProxyProgram<Behind> {
  /** The language of its block in docs/proxies.md, where `program` is its heading. */
  readonly language: string;
}

/** Returns the file around the block: what a machine has set up already, and what keeps the process within its folder. */
type Around = (block: string, folder: string, port: number) => string;

/** Returns the settings of a reverse proxy: the block of the page with the ports and the certificate of a test. */
function withBlock(around: Around): Front['settings'] {
  const { cert, key } = CERTIFICATE;
  return (port, folder, { block, to }) => {
    const here = block
      .replaceAll('/etc/ssl/', `${folder}/`)
      .replaceAll('https://shop.example.com', `https://localhost:${port}`)
      .replaceAll(/(ServerName|server_name) shop.example.com/g, '$1 localhost')
      .replaceAll(/([:* "])443\b/g, `$1${port}`)
      .replaceAll(/\b3000\b/g, `${to}`);
    return {
      [SETTINGS]: around(here, folder, port),
      'shop.example.com.pem': cert,
      'shop.example.com.key': key,
      'shop.example.com.both.pem': cert + key,
    };
  };
}

const APACHE = '/usr/lib/apache2/modules';

function apache(block: string, folder: string, port: number, modules: readonly string[]): string {
  return [
    `ServerRoot ${folder}`,
    'ServerName localhost',
    'User www-data',
    'Group www-data',
    `PidFile ${folder}/apache.pid`,
    `ErrorLog ${folder}/error.log`,
    ...['mpm_event', 'authz_core', 'socache_shmcb', 'ssl', 'proxy', 'proxy_http', ...modules].map(
      (name) => `LoadModule ${name}_module ${APACHE}/mod_${name}.so`,
    ),
    `Listen 127.0.0.1:${port}`,
    block,
  ].join('\n');
}

export const FRONTS: readonly Front[] = [
  {
    program: 'nginx',
    language: 'nginx',
    command: '/usr/sbin/nginx',
    args: (settings, folder) => ['-p', folder, '-c', settings, '-e', `${folder}/error.log`],
    settings: withBlock((block, folder) =>
      [
        'daemon off;',
        'user www-data;',
        `pid ${folder}/nginx.pid;`,
        'events {}',
        'http {',
        'access_log off;',
        `client_body_temp_path ${folder}/bodies;`,
        `proxy_temp_path ${folder}/answers;`,
        ...['fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`),
        block,
        '}',
      ].join('\n'),
    ),
  },
  {
    program: 'HAProxy',
    language: 'haproxy',
    command: '/usr/sbin/haproxy',
    args: (settings) => ['-db', '-f', settings],
    settings: withBlock((block) => block),
  },
  {
    program: 'Caddy',
    language: 'caddy',
    command: '/usr/bin/caddy',
    args: (settings) => ['run', '--config', settings, '--adapter', 'caddyfile'],
    settings: withBlock((block) => `{\nadmin off\nauto_https disable_redirects\n}\n${block}`),
  },
  {
    program: 'Apache',
    language: 'apache',
    command: '/usr/sbin/apache2',
    args: (settings) => ['-D', 'FOREGROUND', '-f', settings],
    settings: withBlock((block, folder, port) => apache(block, folder, port, [])),
  },
  {
    program: 'lighttpd',
    language: 'lighttpd',
    command: '/usr/sbin/lighttpd',
    args: (settings) => ['-D', '-f', settings],
    settings: withBlock((block, folder) =>
      [
        // Its main socket is not the one of the block.
        `server.bind = "${folder}/main.socket"`,
        `server.document-root = "${folder}"`,
        `server.upload-dirs = ( "${folder}" )`,
        `server.errorlog = "${folder}/error.log"`,
        block,
      ].join('\n'),
    ),
  },
];

/** ModSecurity in Apache with the rules of OWASP, as Debian sets them up, and switched on. */
export const FIREWALL = {
  module: `${APACHE}/mod_security2.so`,
  recommended: '/etc/modsecurity/modsecurity.conf-recommended',
  rules: '/usr/share/modsecurity-crs/owasp-crs.load',
} as const;

/** @param exception the block of docs/proxies.md, or nothing */
export function apacheWithFirewall(exception: string): Front {
  const front = FRONTS.find(({ language }) => language === 'apache') as Front;
  return {
    ...front,
    settings: withBlock((block, folder, port) =>
      apache(
        [
          `Include ${FIREWALL.recommended}`,
          'SecRuleEngine On',
          'SecAuditEngine Off',
          `SecDataDir ${folder}`,
          `Include ${FIREWALL.rules}`,
          block.replace('</VirtualHost>', `${exception}\n$&`),
        ].join('\n'),
        folder,
        port,
        ['unique_id', 'security2'],
      ),
    ),
  };
}
