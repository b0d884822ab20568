import type { PauseOperation, Planned } from './history.plan.js';
import type { Simulation } from './history.simulation.js';

/** A person tries this many times to pause. A resumption is tried until it is stored. */
const TRIES = 3;
const MANY_TRIES = 200;

/** An abandoned pause that commits late is over after this time. */
const LATE_MS = 2 * 60_000;

/** People who pause sending for one account or for all, and resume it. */
export class HostPauses {
  constructor(private readonly simulation: Simulation) {}

  pause({ id, whom, lastsMs }: Planned & PauseOperation): void {
    const account = whom === 'own' ? this.simulation.account : null;
    this.decide(id, account, true, TRIES);
    this.simulation.scheduler.after(lastsMs, null, `PERSON ends ${id}`, () =>
      this.decide(id, account, false, MANY_TRIES),
    );
  }

  /** Ends the pauses that are left, also those that abandoned calls store later. */
  end(): void {
    const { scheduler, account } = this.simulation;
    const resume = (): void => {
      this.decide('last pause', account, false, MANY_TRIES);
      this.decide('last pause of all', null, false, MANY_TRIES);
    };
    resume();
    scheduler.after(LATE_MS, null, 'PERSON ends all pauses', resume);
  }

  private decide(id: string, account: string | null, pauses: boolean, tries: number): void {
    const { simulation } = this;
    const { processes, scheduler } = simulation;
    if (processes.pauses.isStored(account) === pauses || tries === 0) return;
    const chance = simulation.chanceOf(simulation.nthOf(id));
    const replica = simulation.someReplica(chance);
    const what = pauses ? 'pauses' : 'resumes';
    const note = account === null ? 'looked into it' : `looked into it ${simulation.mark}`;
    const decision = { ...(account !== null && { account }), by: 'Ann', note };
    if (replica)
      scheduler.park(replica, `PERSON ${what} ${account ?? 'all accounts'}`, () => {
        const { accounts } = replica;
        const done = pauses ? accounts.pause(decision) : accounts.resume(decision);
        done.then(undefined, () => simulation.reached('pause or resumption failed'));
      });
    scheduler.after(chance.between(1_000, 40_000), null, `PERSON looks at ${id}`, () =>
      this.decide(id, account, pauses, tries - 1),
    );
  }
}
