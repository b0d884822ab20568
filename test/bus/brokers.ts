import { spawnSync } from 'node:child_process';
import { connect } from 'amqplib';
import { freePort } from '../support/free.port.js';
import type { BrokerProgram } from './broker.process.js';

export const RABBITMQ: BrokerProgram = {
  // We do not start /usr/sbin/rabbitmq-server, which changes the user and reads the settings of the machine.
  command: '/usr/lib/rabbitmq/bin/rabbitmq-server',
  args: () => [],
  environment: async (port, folder) => ({
    HOME: folder,
    RABBITMQ_NODENAME: `tillkit-${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: `${port}`,
    RABBITMQ_DIST_PORT: `${await freePort()}`,
    RABBITMQ_MNESIA_BASE: `${folder}/data`,
    RABBITMQ_LOG_BASE: `${folder}/log`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/plugins`,
    RABBITMQ_CONFIG_FILE: `${folder}/none`,
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    // The name server of Erlang, which RabbitMQ starts.
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: `${await freePort()}`,
  }),
  // The name server outlives the node.
  cleanUp: ({ ERL_EPMD_PORT = '' }) => {
    spawnSync('epmd', ['-port', ERL_EPMD_PORT, '-kill']);
  },
  async isServing(port) {
    try {
      await (await connect(rabbitUrl(port))).close();
      return true;
    } catch {
      return false;
    }
  },
};

export const REDIS: BrokerProgram = {
  command: 'redis-server',
  args: (port, folder) => [
    '--bind',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--dir',
    folder,
    '--save',
    '',
  ],
};

export const NATS: BrokerProgram = {
  command: 'nats-server',
  args: (port) => ['--addr', '127.0.0.1', '--port', `${port}`],
};

export function rabbitUrl(port: number): string {
  return `amqp://guest:guest@127.0.0.1:${port}`;
}
