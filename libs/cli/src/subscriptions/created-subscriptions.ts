import { readFile, rename, writeFile } from 'node:fs/promises';
import { CommandError, UsageError } from '../command.errors.js';

/** These fields identify a subscription for us. */
export interface SubscriptionFacts {
  eventType: string;
  scope: string;
  scopeReference: string | null;
  /** The URL has the hash of its MAC instead of the MAC, which is a secret. */
  url: string;
  daraja: boolean;
}

/** A subscription that this command has created. */
export interface CreatedSubscription extends SubscriptionFacts {
  id: string;
  account: string;
  /** Origin of the platform. The sandbox and production have different subscriptions. */
  platform: string;
  createdAt: string;
}

interface Contents {
  about: string;
  subscriptions: CreatedSubscription[];
}

const ABOUT =
  'Subscriptions that "tillkit subscriptions apply" has created. The platform lists none: keep this file, and commit it.';

/** The file in which created subscriptions are kept, because the platform does not list them. */
export class CreatedSubscriptions {
  private constructor(
    private readonly path: string,
    private all: readonly CreatedSubscription[],
  ) {}

  static async read(path: string): Promise<CreatedSubscriptions> {
    try {
      const { subscriptions } = JSON.parse(await readFile(path, 'utf8')) as Partial<Contents>;
      if (!Array.isArray(subscriptions)) throw new Error('it has no list "subscriptions"');
      return new CreatedSubscriptions(path, subscriptions);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        return new CreatedSubscriptions(path, []);
      throw new CommandError(
        `${path} cannot be used: ${(error as Error).message}. Restore it, or give another file with --created.`,
      );
    }
  }

  list(account: string, platform: string): CreatedSubscription[] {
    return this.all.filter((one) => one.account === account && one.platform === platform);
  }

  /**
   * Writes the file unchanged, before something is created that we could not record. The platform lists and deletes no subscription.
   * @throws UsageError when it cannot be written
   */
  async requireWritable(): Promise<void> {
    await this.save(this.all);
  }

  /** Saves at once, so that a crash after a create does not lose the id. */
  async add(created: CreatedSubscription): Promise<void> {
    await this.save([...this.all, created]);
  }

  async remove(ids: ReadonlySet<string>): Promise<void> {
    if (ids.size > 0) await this.save(this.all.filter(({ id }) => !ids.has(id)));
  }

  private async save(subscriptions: readonly CreatedSubscription[]): Promise<void> {
    this.all = subscriptions;
    const contents: Contents = { about: ABOUT, subscriptions: [...subscriptions] };
    const draft = `${this.path}.${process.pid}.tmp`;
    try {
      await writeFile(draft, `${JSON.stringify(contents, null, 2)}\n`);
      await rename(draft, this.path);
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException;
      throw new UsageError(
        `${this.path} cannot be written (${code}): make its folder and let this user write there, or give another file with --created.`,
      );
    }
  }
}
