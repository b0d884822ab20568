-- Work that accounts need again and again: when it is due next. All processes share it, so that each piece is done once.

create table :schema.planned_work (
  account text not null,
  kind text not null check (kind in ('sweep', 'retention')),
  due_at timestamptz not null,
  primary key (account, kind)
);

create index planned_work_due on :schema.planned_work (kind, due_at);
