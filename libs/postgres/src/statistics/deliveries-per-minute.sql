-- Index delivery_age.
select floor(extract(epoch from received_at) / 60) * 60000 as minute, count(*) as count
from :schema.delivery
where account = $1 and received_at >= to_timestamp($2::float8 / 1000) and received_at < to_timestamp($3::float8 / 1000)
group by 1
order by 1
