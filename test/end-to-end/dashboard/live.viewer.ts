import { get, type ClientRequest, type IncomingMessage } from 'node:http';

interface Told {
  version: string;
  about: string[] | null;
  live: boolean;
}

/** A browser with a live page open: keeps what it is told. */
export class LiveViewer {
  readonly told: Told[] = [];
  /** Comments, which keep the connection open. */
  comments = 0;
  isEnded = false;

  private constructor(
    private readonly request: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith(':')) this.comments += 1;
        else this.told.push(JSON.parse(block.replace(/^data: /, '')) as Told);
      }
    });
    response.on('close', () => {
      this.isEnded = true;
    });
    response.on('error', () => {});
  }

  /** Resolves with the first bytes of the response. */
  static open(url: string, headers: Record<string, string> = {}): Promise<LiveViewer> {
    return new Promise((resolve, reject) => {
      const request = get(url, { headers, agent: false }, (response) =>
        resolve(new LiveViewer(request, response)),
      );
      request.on('error', reject);
    });
  }

  /** What it was told about a change. The first message says the version only. */
  get changes(): Told[] {
    return this.told.slice(1);
  }

  leave(): void {
    this.request.destroy();
  }
}
