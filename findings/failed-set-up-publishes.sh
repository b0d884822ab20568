#!/usr/bin/env bash
# Guess: amqp-connection-manager publishes nothing on a channel whose setup function has rejected, as its description of `setup` says ("no messages will
# be sent until this Promise resolves"); and its event `connect` of the channel means that the setup has succeeded.
#
# Seen (2026-12-01, Node 20.20.2, amqp-connection-manager 5.0.0, amqplib 2.3.1, RabbitMQ 3.10.8 of Debian 12): the wrapper emits `error`, then `connect`, and
# publishes what was queued. waitForConnect() resolves. Only when the server has closed the channel meanwhile, as it does for a refused queue, may `connect` be
# missing: it depends on which comes first. Code that learns by `connect` that its queue is there is wrong: wrap the setup function, and keep its outcome.
#
# It needs Debian's package rabbitmq-server, whose node it starts in a folder of its own.
set -euo pipefail
server=/usr/lib/rabbitmq/bin/rabbitmq-server
[ -x "$server" ] || { echo 'apt-get install rabbitmq-server'; exit 1; }
folder=$(mktemp -d)
cd "$folder"
printf '{ "type": "module", "private": true }\n' > package.json
npm install --silent --no-audit --no-fund amqp-connection-manager@5.0.0 amqplib@2.3.1
mkdir log
export HOME=$folder RABBITMQ_NODENAME=finding@localhost RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=25673 RABBITMQ_DIST_PORT=25674 \
  RABBITMQ_MNESIA_BASE=$folder/data RABBITMQ_LOG_BASE=$folder/log RABBITMQ_ENABLED_PLUGINS_FILE=$folder/plugins RABBITMQ_CONFIG_FILE=$folder/none \
  RABBITMQ_CONF_ENV_FILE=/dev/null ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=25675
setsid "$server" > /dev/null 2>&1 &
node=$!
trap '{ kill -KILL -- -$node; epmd -port 25675 -kill; rm -rf "$folder"; } > /dev/null 2>&1 || true' EXIT
cat > try.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqp-connection-manager';

const manager = connect(['amqp://guest:guest@127.0.0.1:25673'], { reconnectTimeInSeconds: 1 });
const healthy = manager.createChannel({ setup: (channel) => channel.assertQueue('events') });
await healthy.waitForConnect();

const seen = [];
const channel = manager.createChannel({
  setup: async () => {
    throw new Error('the setup has failed');
  },
});
channel.on('error', () => seen.push('error')).on('connect', () => seen.push('connect'));
const sent = channel.sendToQueue('events', Buffer.from('{}'));
const published = await Promise.race([sent.then(() => true), sleep(10_000, false)]);
const connected = await Promise.race([channel.waitForConnect().then(() => true), sleep(5_000, false)]);
const inQueue = (await healthy.checkQueue('events')).messageCount;
const found = { events: seen.join(', '), published, connected, inQueue };
console.log(JSON.stringify(found));
await manager.close();
process.exit(JSON.stringify(found) === '{"events":"error, connect","published":true,"connected":true,"inQueue":1}' ? 0 : 1);
JS
node try.mjs
