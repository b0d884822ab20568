import { get, type ClientRequest, type IncomingMessage } from 'node:http';

interface LiveMessage {
  version: string;
  about: string[] | null;
  live: boolean;
}

/** A browser with a live page open: keeps the messages of the server. */
export class LiveViewer {
  readonly messages: LiveMessage[] = [];
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
        else this.messages.push(JSON.parse(block.replace(/^data: /, '')) as LiveMessage);
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

  /** The messages about changes. The first message says the version only. */
  get changes(): LiveMessage[] {
    return this.messages.slice(1);
  }

  leave(): void {
    this.request.destroy();
  }
}
