/** Which effects of which events the host has made, written in the transaction of the effect itself. */
export const EFFECTS = `
create table :schema.effect (
  account text not null,
  event_id text not null,
  effect text not null,
  at timestamptz not null default :schema.clock(),
  primary key (event_id, effect, account)
);

create index effect_age on :schema.effect (account, at);
`;
