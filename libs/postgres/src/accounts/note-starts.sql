-- See note_starts in migrations/000019.restores.sql.
select :schema.note_starts($1::text[])
