/** One shop runs in a folder: a second one would use the data of the first. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';

/**
 * Marks the folder as taken until this process ends, however it ends.
 * @returns what the shop that runs here says where it is; null if this process has taken the folder
 */
export async function takeFolder(folder, where) {
  const file = join(folder, '.data/running-shop.json');
  mkdirSync(dirname(file), { recursive: true });
  const server = createServer((socket) => socket.end(JSON.stringify({ folder, where: where() })));
  server.unref();
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const mine = JSON.stringify({ port: server.address().port });
  for (;;) {
    try {
      writeFileSync(file, mine, { flag: 'wx' });
      process.once('exit', () => rmSync(file, { force: true }));
      return null;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const running = await askRunning(file);
    if (running?.folder === folder) {
      server.close();
      return running.where;
    }
    // A killed shop left the file, and its port is free or belongs to another program now.
    rmSync(file, { force: true });
  }
}

async function askRunning(file) {
  try {
    const { port } = JSON.parse(readFileSync(file, 'utf8'));
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(2_000, () => socket.destroy());
    let text = '';
    for await (const chunk of socket) text += chunk;
    return JSON.parse(text);
  } catch {
    return null;
  }
}
