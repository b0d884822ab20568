import { ControlController } from './control/control.controller.js';
import { deliveryControls } from './control/deliveries.controller.js';
import { handsetControls } from './control/handsets.controller.js';
import { JournalStreamController } from './control/journal-stream.controller.js';
import { merchantControls } from './control/merchants.controller.js';
import { platformControls } from './control/platform.controller.js';
import { readData, writeData } from './data/data-file.js';
import { PagesController } from './pages/pages.controller.js';
import { TrustedHosts } from './server/trusted-hosts.service.js';
import { RedirectServer } from './server/redirect-server.js';
import { SimulatedPlatform } from './simulated-platform.model.js';
import {
  resolveOptions,
  type SimulatorOptions,
  type SimulatorSettings,
} from './simulator.options.js';

/**
 * A strict mobile-money platform over real HTTP, with its own clock, customers and faults.
 *
 * @example
 * const simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
 * @publicApi
 */
export class Simulator extends SimulatedPlatform {
  private readonly stream: JournalStreamController;
  private stopping: Promise<void> | undefined;

  private constructor(settings: SimulatorSettings) {
    super(settings);
    const { http } = this.services.server;
    const hosts = new TrustedHosts(settings);
    this.stream = new JournalStreamController(http, this.services.journal, hosts);
    const control = new ControlController(http, hosts);
    control.add(platformControls(this));
    control.add(merchantControls(this));
    control.add(handsetControls(this));
    control.add(deliveryControls(this));
    new PagesController(http, this, hosts);
  }

  /**
   * Starts a platform.
   *
   * @throws InvalidOptionError for an invalid option.
   * @throws CannotListenError for a port that is in use or not allowed.
   */
  static async start(options: SimulatorOptions = {}): Promise<Simulator> {
    const simulator = new Simulator(resolveOptions(options));
    const { dataFile } = simulator.settings;
    if (dataFile) readData(dataFile, simulator.services);
    await simulator.listen();
    if (dataFile) await simulator.tryToWrite(dataFile);
    for (const services of simulator.services.list()) services.resume();
    return simulator;
  }

  /** Stops the platform, cancels all scheduled work, and writes the `dataFile`. */
  async stop(): Promise<void> {
    this.stopping ??= this.close();
    await this.stopping;
  }

  /** Writes the file at the start, so that people learn at once when it cannot be written. */
  private async tryToWrite(dataFile: string): Promise<void> {
    try {
      writeData(dataFile, this.services);
    } catch (error) {
      await this.stop().catch(() => undefined);
      throw error;
    }
  }

  private async listen(): Promise<void> {
    this.port = await this.services.server.listen();
    const { tls, host } = this.settings;
    if (!tls) return;
    const redirect = new RedirectServer(host, this.services.answerSender, () => this.url);
    try {
      this.redirectPort = await redirect.listen(tls.redirectPort ?? 0);
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.redirect = redirect;
  }

  private async close(): Promise<void> {
    this.services.clock.stop();
    this.services.deliveries.stop();
    this.stream.stop();
    await this.redirect?.stop();
    await this.services.server.stop();
    const { dataFile } = this.settings;
    if (dataFile && this.port !== 0) writeData(dataFile, this.services);
  }
}
