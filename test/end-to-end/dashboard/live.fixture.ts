import { afterEach } from '@jest/globals';
import { MemoryStore, StoreUnavailableError } from '@tillkit/payments';
import { altered } from '../../support/altered.store.js';
import type { Platform } from '../../support/platform.js';
import { DashboardHost } from './dashboard.fixture.js';
import { LiveViewer } from './live.viewer.js';

/** A store that counts the looks at it, and whose database can be away. A look comes every two seconds. */
export class WatchedStore extends MemoryStore {
  looks = 0;
  isAway = false;

  constructor() {
    super();
    altered(this, {
      statistics: {
        recentChanges:
          (original) =>
          async (...args) => {
            this.looks += 1;
            if (this.isAway) throw new StoreUnavailableError('no connection to 10.0.0.7');
            return original(...args);
          },
      },
    });
  }
}

/** A dashboard with viewers of its live pages. They leave after each test. */
export class LiveHost extends DashboardHost {
  private readonly viewers: LiveViewer[] = [];

  constructor(platform?: Platform) {
    super(platform);
    afterEach(() => {
      for (const viewer of this.viewers.splice(0)) viewer.leave();
    });
  }

  async watched(): Promise<WatchedStore> {
    const store = new WatchedStore();
    await this.open({ payments: { store } });
    return store;
  }

  async viewer(url = `${this.dashboard.url}/live`, headers = {}): Promise<LiveViewer> {
    const viewer = await LiveViewer.open(url, headers);
    this.viewers.push(viewer);
    return viewer;
  }
}
