-- Effects of events that the host has made. firstTime() writes a row in the transaction of the effect.

create table :schema.effect (
  account text not null,
  event_id text not null,
  effect text not null,
  at timestamptz not null default :schema.clock(),
  primary key (event_id, effect, account)
);

create index effect_age on :schema.effect (account, at);
