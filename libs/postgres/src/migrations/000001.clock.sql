-- The current time for every statement of this schema. A simulation replaces this function to control the time. The
-- function is volatile, so that no plan keeps an old value. PostgreSQL inlines it, so that a call costs nothing. An
-- index scan cannot use a volatile value: such statements read the time once, into a variable or by a subselect.
create function :schema.clock()
returns timestamptz language sql volatile parallel safe as $body$ select clock_timestamp() $body$;
