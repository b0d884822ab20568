-- About when an operation was sent, for indexes: the time that is kept, unless it was sent at another one. find-candidates.sql searches so much
-- earlier and later. The planner replaces it by its query.
create function :fn.sent_about(p_kept timestamptz, p_sent_at timestamptz)
returns timestamptz language sql stable parallel safe as $body$
  select case when p_sent_at between p_kept - interval '1 minute' and p_kept + interval '2 minutes'
    then p_kept else coalesce(p_sent_at, p_kept) end
$body$;
