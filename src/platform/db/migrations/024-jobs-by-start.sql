-- works with: 013
-- The shifts of a week.
create index jobs_start on jobs (start_time);
