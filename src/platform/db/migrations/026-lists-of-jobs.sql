-- works with: 013
-- The newest jobs in a status, and of an organisation, however few they are among the jobs of years.
create index jobs_of_status on jobs (status, job_id);
create index jobs_of_provider on jobs (provider_id, job_id);
