-- The money of all operations of a kind and a currency that were recorded or approved in the last 24 hours, or that wait for
-- approval or are about to be sent; without those that failed. The lock makes two recordings see each other, also when one
-- of them is in a repeatable read transaction: both write the row of the day. Call it before any other lock, so that recordings wait
-- for it with empty hands and cannot deadlock.
create function :fn.lock_day(p_account text, p_kind text, p_currency text)
returns void language plpgsql volatile as $body$
declare
  p_key constant bytea := sha256(convert_to(concat_ws(chr(10), 'day', p_kind, p_currency), 'UTF8'));
begin
  perform from :fn.lock_guards(array[p_account], array[p_key], array[p_kind]);
end
$body$;
