import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import { accepts } from '../support/accepts.js';

/** A reverse proxy from its Debian package. */
export interface Front {
  /** Its heading in docs/proxies.md. */
  heading: string;
  /** The language of its block there. */
  language: string;
  command: string;
  args(settings: string, folder: string): string[];
  /** Returns the file around the block: what a machine has set up already, and what keeps the process within its folder. */
  around(block: string, folder: string, port: number): string;
  environment?(folder: string): Record<string, string>;
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
    heading: '## nginx',
    language: 'nginx',
    command: '/usr/sbin/nginx',
    args: (settings, folder) => ['-p', folder, '-c', settings, '-e', `${folder}/error.log`],
    around: (block, folder) =>
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
  },
  {
    heading: '## HAProxy',
    language: 'haproxy',
    command: '/usr/sbin/haproxy',
    args: (settings) => ['-db', '-f', settings],
    around: (block) => block,
  },
  {
    heading: '## Caddy',
    language: 'caddy',
    command: '/usr/bin/caddy',
    args: (settings) => ['run', '--config', settings, '--adapter', 'caddyfile'],
    around: (block) => `{\nadmin off\nauto_https disable_redirects\n}\n${block}`,
    environment: (folder) => ({ HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }),
  },
  {
    heading: '## Apache',
    language: 'apache',
    command: '/usr/sbin/apache2',
    args: (settings) => ['-D', 'FOREGROUND', '-f', settings],
    around: (block, folder, port) => apache(block, folder, port, []),
  },
  {
    heading: '## lighttpd',
    language: 'lighttpd',
    command: '/usr/sbin/lighttpd',
    args: (settings) => ['-D', '-f', settings],
    around: (block, folder) =>
      [
        // Its main socket is not the one of the block.
        `server.bind = "${folder}/main.socket"`,
        `server.document-root = "${folder}"`,
        `server.upload-dirs = ( "${folder}" )`,
        `server.errorlog = "${folder}/error.log"`,
        block,
      ].join('\n'),
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
    around: (block, folder, port) =>
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
  };
}

/** A reverse proxy that runs on this machine, with the block of the page. */
export class FrontProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /**
   * @param block as in the page
   * @param port where it takes requests, by TLS
   * @param to the port of the application
   */
  static async start(
    { command, args, around, environment }: Front,
    block: string,
    port: number,
    to: number,
  ): Promise<FrontProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'tillkit-front-'));
    // As root, most of them become another user.
    await chmod(folder, 0o777);
    const { cert, key } = CERTIFICATE;
    const files = { pem: cert, key, 'both.pem': cert + key };
    for (const [ending, text] of Object.entries(files))
      await writeFile(join(folder, `shop.example.com.${ending}`), text, { mode: 0o644 });
    const here = block
      .replaceAll('/etc/ssl/', `${folder}/`)
      .replaceAll('https://shop.example.com', `https://localhost:${port}`)
      .replaceAll(/(ServerName|server_name) shop.example.com/g, '$1 localhost')
      .replaceAll(/([:* "])443\b/g, `$1${port}`)
      .replaceAll(/\b3000\b/g, `${to}`);
    const settings = join(folder, 'settings.conf');
    await writeFile(settings, `${around(here, folder, port)}\n`);
    const child = spawn(command, args(settings, folder), {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...environment?.(folder) },
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const front = new FrontProcess(child, folder);
    process.once('exit', front.kill);
    while (!(await accepts(port))) {
      if (child.exitCode !== null)
        throw new Error(`${command} has ended: ${said}${await front.log()}`);
      await sleep(50);
    }
    return front;
  }

  log(): Promise<string> {
    return readFile(join(this.folder, 'error.log'), 'utf8').catch(() => '');
  }

  async stop(): Promise<void> {
    process.off('exit', this.kill);
    const exited = once(this.child, 'exit');
    this.kill();
    await exited;
    await rm(this.folder, { recursive: true, force: true });
  }

  private readonly kill = (): void => {
    this.child.kill('SIGTERM');
  };
}
