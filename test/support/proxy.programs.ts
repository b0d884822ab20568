import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { accepts } from './accepts.js';
import { freePort } from './free.port.js';
import { until } from './until.js';

/** The rules by which a proxy lets requests through. */
export interface ProxyRules {
  /** The port to which it connects. */
  readonly to: number;
  /** `user:password`; without it, everybody may use it. */
  readonly credentials?: string;
}

/** A proxy that companies use, from its Debian package. */
export interface ProxyProgram<Rules = ProxyRules> {
  readonly program: string;
  readonly command: string;
  args(settings: string, folder: string): string[];
  /** Returns the text of its settings, and of the other files in its folder. */
  settings(port: number, folder: string, rules: Rules): Record<string, string>;
}

const LOG = 'requests.log';
/** The name of the file of its settings. */
export const SETTINGS = 'settings';

const SQUID: ProxyProgram = {
  program: 'squid',
  command: '/usr/sbin/squid',
  args: (settings) => ['-N', '-f', settings],
  settings: (port, folder, { to, credentials }) => ({
    [SETTINGS]: [
      `http_port 127.0.0.1:${port}`,
      `acl SSL_ports port ${to}`,
      'acl CONNECT method CONNECT',
      'http_access deny !CONNECT',
      'http_access deny CONNECT !SSL_ports',
      ...(credentials
        ? [
            `auth_param basic program /bin/sh ${join(folder, 'users.sh')}`,
            'auth_param basic children 1 startup=1',
            'acl known proxy_auth REQUIRED',
            'http_access deny !known',
          ]
        : []),
      'http_access allow all',
      'cache deny all',
      'cache_mem 1 MB',
      // squid has a table with a row for each file that it may open.
      'max_filedescriptors 1024',
      'shutdown_lifetime 0 seconds',
      'coredump_dir none',
      'pid_filename none',
      `cache_log ${join(folder, 'squid.log')}`,
      `access_log stdio:${join(folder, LOG)}`,
      'logfile_rotate 0',
      'visible_hostname localhost',
      'pinger_enable off',
    ].join('\n'),
    'users.sh': [
      'while read -r user password; do',
      `  if [ "$user:$password" = '${credentials}' ]; then echo OK; else echo ERR; fi`,
      'done',
    ].join('\n'),
  }),
};

const TINYPROXY: ProxyProgram = {
  program: 'tinyproxy',
  command: '/usr/bin/tinyproxy',
  args: (settings) => ['-d', '-c', settings],
  settings: (port, folder, { to, credentials }) => ({
    [SETTINGS]: [
      `Port ${port}`,
      'Listen 127.0.0.1',
      'Allow 127.0.0.1',
      'Timeout 600',
      'MaxClients 50',
      `LogFile "${join(folder, LOG)}"`,
      'LogLevel Connect',
      `ConnectPort ${to}`,
      ...(credentials ? [`BasicAuth ${credentials.replace(':', ' ')}`] : []),
    ].join('\n'),
  }),
};

export const PROXY_PROGRAMS = [SQUID, TINYPROXY] as const;

/** True when the programs are installed. In CI it is always true, because the gate installs them. */
export const HAS_PROXY_PROGRAMS =
  process.env['CI'] !== undefined || PROXY_PROGRAMS.every(({ command }) => existsSync(command));

/** A proxy program that runs on this machine. */
export class RunningProxy {
  /** What it wrote about errors. */
  private said = '';

  private constructor(
    readonly port: number,
    private readonly child: ChildProcessByStdio<null, null, Readable>,
    private readonly folder: string,
  ) {
    child.stderr.on('data', (chunk: Buffer) => (this.said += chunk.toString()));
  }

  /** @param port where it takes requests; any by default */
  static async start<Rules>(
    { program, command, args, settings }: ProxyProgram<Rules>,
    rules: Rules,
    port?: number,
  ): Promise<RunningProxy> {
    if (!existsSync(command)) throw new Error(`${command} is missing: apt-get install ${program}`);
    const folder = await mkdtemp(join(tmpdir(), `tillkit-${program}-`));
    // As root, squid becomes another user.
    await chmod(folder, 0o777);
    const chosen = port ?? (await freePort());
    for (const [name, text] of Object.entries(settings(chosen, folder, rules)))
      await writeFile(join(folder, name), `${text}\n`);
    // Caddy writes to its home.
    const env = { ...process.env, HOME: folder };
    const child = spawn(command, args(join(folder, SETTINGS), folder), {
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
    });
    const proxy = new RunningProxy(chosen, child, folder);
    // The proxy ends with this process, so that failing tests leave nothing behind.
    process.once('exit', proxy.kill);
    try {
      await proxy.ready();
    } catch (error) {
      await proxy.stop();
      throw error;
    }
    return proxy;
  }

  url(credentials = ''): string {
    return `http://${credentials && `${credentials}@`}127.0.0.1:${this.port}`;
  }

  /** Resolves when its log has a connection to this port. squid writes it when the connection has ended. */
  async hasConnectedTo(port: number): Promise<void> {
    const log = join(this.folder, LOG);
    await until(async () => (await readFile(log, 'utf8')).includes(`CONNECT 127.0.0.1:${port}`));
  }

  async stop(): Promise<void> {
    process.off('exit', this.kill);
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.kill();
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private readonly kill = (): void => {
    this.child.kill('SIGTERM');
  };

  private async ready(): Promise<void> {
    await until(async () => {
      if (this.child.exitCode !== null)
        throw new Error(`${this.child.spawnfile} has ended: ${this.said}`);
      return accepts(this.port);
    });
  }
}
