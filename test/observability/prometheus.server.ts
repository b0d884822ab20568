import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free.port.js';

/** One series of the answer to a query. */
export interface Series {
  metric: Readonly<Record<string, string>>;
  value: number;
}

/** A real Prometheus that scrapes one application each second. */
export class PrometheusServer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    private readonly url: string,
  ) {}

  /** @param rules the text of a file of rules */
  static async start(rules: string, target: string): Promise<PrometheusServer> {
    const folder = await mkdtemp(join(tmpdir(), 'tillkit-prometheus-'));
    const url = `http://127.0.0.1:${await freePort()}`;
    await writeFile(join(folder, 'rules.yaml'), rules);
    await writeFile(
      join(folder, 'prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: ['rules.yaml'],
        scrape_configs: [{ job_name: 'payments', static_configs: [{ targets: [target] }] }],
      }),
    );
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${new URL(url).host}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const server = new PrometheusServer(child, folder, url);
    try {
      await server.ready();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  private async ready(): Promise<void> {
    for (let attempt = 0; attempt < 3_000; attempt += 1) {
      if (this.process.exitCode !== null) throw new Error('Prometheus has ended');
      const answer = await fetch(`${this.url}/-/ready`).catch(() => null);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('Prometheus is not ready');
  }

  /** @throws Error with Prometheus' own words when the query is wrong */
  async query(expression: string): Promise<Series[]> {
    const result = await this.ask<{
      result: { metric: Series['metric']; value: [number, string] }[];
    }>(`query?${new URLSearchParams({ query: expression }).toString()}`);
    return result.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  /** Returns the names of the rules that fire now. */
  async firing(): Promise<string[]> {
    const { alerts } = await this.ask<{
      alerts: { state: string; labels: Record<string, string> }[];
    }>('alerts');
    return alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => labels['alertname'] ?? '');
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      const exited = once(this.process, 'exit');
      this.process.kill('SIGTERM');
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private async ask<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    const answer = (await response.json()) as { status: string; data: T; error?: string };
    if (answer.status !== 'success') throw new Error(answer.error);
    return answer.data;
  }
}
