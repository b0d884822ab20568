import { Client } from 'pg';

type Connected = (error: Error | null | undefined, client?: Client) => void;

/**
 * A connection that is closed when it fails before it is ready. The driver leaves the socket open when it finds the fault itself, such as a
 * missing password. Then the server keeps the connection for a minute, and `drop database` waits for it.
 */
export class ClosingClient extends Client {
  override connect(): Promise<Client>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<Client> | void {
    if (!connected) return super.connect();
    super.connect((error: Error | null | undefined) => {
      if (error) this.connection.stream.destroy();
      connected(error, this);
    });
  }
}
