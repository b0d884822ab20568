import type { SimulatedClock } from '../clock/clock.service.js';
import { InvalidOptionError, NotKnownError } from '../simulator.errors.js';
import {
  resolveMerchant,
  tillsOf,
  type MerchantOptions,
  type MerchantSettings,
} from './merchant.options.js';
import { SimulatedMerchant, TOKEN_PREFIX_LENGTH } from './merchant.model.js';

/**
 * The merchants of the platform. Nothing of one merchant reaches another: no tokens, resources, subscriptions, balances or signing keys.
 * @publicApi
 */
export class Merchants {
  private readonly byName = new Map<string, SimulatedMerchant>();
  private readonly byClientId = new Map<string, SimulatedMerchant>();
  private readonly byTokenPrefix = new Map<string, SimulatedMerchant>();
  private readonly byTill = new Map<string, SimulatedMerchant>();

  constructor(
    private readonly clock: Pick<SimulatedClock, 'now' | 'timeline'>,
    private readonly onAdded: (merchant: SimulatedMerchant, settings: MerchantSettings) => void,
  ) {}

  /**
   * Adds a merchant. Its application can request a token at once.
   *
   * @throws InvalidOptionError for an invalid option, and for a name, client id or till that another merchant has
   * @example simulator.merchants.add({ name: 'shop-7', tillNumbers: ['700007'] }).clientSecret
   */
  add(options: MerchantOptions): SimulatedMerchant {
    return this.open(resolveMerchant(options));
  }

  /** @throws NotKnownError */
  get(name: string): SimulatedMerchant {
    const merchant = this.byName.get(name);
    if (!merchant) throw new NotKnownError('merchant', name);
    return merchant;
  }

  /** Returns all merchants, in the order in which they were added. */
  list(): SimulatedMerchant[] {
    return [...this.byName.values()];
  }

  /**
   * Removes a merchant. Its credentials and tokens stop working at once, and its tills are free for another merchant. Work in progress
   * still happens, its deliveries are signed with the key of the merchant, and the lists of the simulator still show it.
   * @throws NotKnownError
   */
  remove(name: string): void {
    const merchant = this.get(name);
    this.byName.delete(name);
    this.byClientId.delete(merchant.clientId);
    this.byTokenPrefix.delete(merchant.tokenPrefix);
    for (const till of merchant.tillNumbers) this.byTill.delete(till);
  }

  /** Adds a merchant whose options are checked. @param at the place of the options @internal */
  open(settings: MerchantSettings, at = ''): SimulatedMerchant {
    this.assertFree(settings, at);
    const merchant = new SimulatedMerchant(settings, this.clock);
    this.byName.set(merchant.name, merchant);
    this.byClientId.set(merchant.clientId, merchant);
    this.byTokenPrefix.set(merchant.tokenPrefix, merchant);
    for (const till of merchant.tillNumbers) this.byTill.set(till, merchant);
    this.onAdded(merchant, settings);
    return merchant;
  }

  /** Returns the merchant of the short form of the options and of `Simulator`. @throws NotKnownError @internal */
  first(): SimulatedMerchant {
    return this.byName.values().next().value ?? this.get('default');
  }

  /** @internal */
  ofClientId(clientId: string): SimulatedMerchant | undefined {
    return this.byClientId.get(clientId);
  }

  /** @internal */
  ofToken(token: string): SimulatedMerchant | undefined {
    return this.byTokenPrefix.get(token.slice(0, TOKEN_PREFIX_LENGTH));
  }

  /** @internal */
  ofTill(tillNumber: string): SimulatedMerchant | undefined {
    return this.byTill.get(tillNumber);
  }

  private assertFree(settings: MerchantSettings, at: string): void {
    const { name, clientId, tillNumbers } = settings;
    const refuse = (option: string, value: string, problem: string): never => {
      throw new InvalidOptionError(at + option, `${value}, ${problem}`);
    };
    if (this.byName.has(name))
      refuse('name', `is "${name}"`, 'the name of another merchant: choose another name');
    const sameClient = this.byClientId.get(clientId)?.name;
    if (sameClient !== undefined) {
      const problem = `the client id of the merchant "${sameClient}": choose another one`;
      refuse('clientId', `is "${clientId}"`, problem);
    }
    for (const till of tillsOf(settings)) {
      const owner = this.byTill.get(till)?.name;
      if (owner === undefined) continue;
      const option = tillNumbers.includes(till) ? 'tillNumbers' : 'tillAliases';
      const problem = `a till of the merchant "${owner}": a till belongs to one merchant`;
      refuse(option, `has "${till}"`, problem);
    }
  }
}
