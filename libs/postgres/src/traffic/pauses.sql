-- Both tables have few small rows for each account.
select * from (
  select account, null as restore, paused_by, pause_note, extract(epoch from paused_at) * 1000 as paused_at
  from :schema.traffic where paused_at is not null
  union all
  select account, case when is_held then 'everything' else 'money-out' end, by_whom, note, extract(epoch from begun_at) * 1000
  from :schema.restore where is_held or money_out_held
) as pauses
order by account <> '*', account, restore nulls first, paused_at
