import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy that can cut its connections. With several targets it is a load balancer: each connection goes to the next
 * target that answers.
 */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private next = 0;
  private open = true;

  private constructor(
    private readonly server: Server,
    private readonly targets: () => readonly number[],
  ) {}

  static async start(targets: () => readonly number[]): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, targets);
    server.on('connection', (socket) => proxy.accept(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Resets every connection, and refuses new ones until `restore`. */
  cut(): void {
    this.open = false;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  restore(): void {
    this.open = true;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(socket: Socket): void {
    this.keep(socket);
    if (this.open) this.forward(socket, this.targets().length);
    else socket.resetAndDestroy();
  }

  private forward(socket: Socket, tries: number): void {
    const targets = this.targets();
    const port = targets[this.next++ % Math.max(1, targets.length)];
    if (tries === 0 || port === undefined) {
      socket.resetAndDestroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    this.keep(upstream);
    upstream.once('connect', () => {
      upstream.removeAllListeners('error');
      upstream.on('error', () => socket.resetAndDestroy());
      upstream.on('close', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    upstream.once('error', () => this.forward(socket, tries - 1));
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}
