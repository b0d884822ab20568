-- The work that waits: deliveries, listener calls, and the work that accounts need again and again. Rows leave it when they are done, so
-- that it stays small. A claim changes no indexed column, so its update is a HOT update; the low fill factor keeps space for it in each page.

create table :schema.queue (
  place bigint generated always as identity primary key,
  -- 'callback', 'webhook', 'sweep', 'retention', or 'call', an account and a listener. What nobody claims: 'dead' and an account has its dead
  -- letters; 'done' has calls that succeeded late, which leave with their event.
  lane text collate "C" not null,
  account text not null,
  -- The delivery, or the event of a call; planned work is one of its account.
  item text not null,
  listener text,
  -- The account and class of the listener, if the event has an outcome: what undoes waits for what it undoes, whichever method receives it.
  class text collate "C",
  -- A dead letter that is called again: later events may have been handled before it.
  is_late boolean not null default false,
  -- In a lane, only the first of what has one key can be claimed: the calls of a listener for a stream.
  line bigint not null,
  -- Of what nobody claims: when it ended.
  due_at timestamptz not null,
  claimed_until timestamptz,
  token text,
  attempts integer not null default 0,
  last_error text
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000);

-- Without the account, which would have to be sorted; see operation_queue_due.
create index queue_due on :schema.queue (lane, due_at, place);

create index queue_line on :schema.queue (line, lane, place);

-- Processes that plan the work of an account at the same moment plan it once.
create unique index queue_planned on :schema.queue (account, lane) where lane = any ('{sweep,retention}');
