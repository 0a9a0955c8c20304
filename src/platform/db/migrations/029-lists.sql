-- works with: 013
-- Lists of jobs by start, of a status, of the active ones, and of an organisation: each page is a range of one index.
drop index jobs_status;
create index jobs_status on jobs (status, start_time, job_id);
drop index jobs_start;
create index jobs_start on jobs (start_time, job_id);
create index jobs_active on jobs (start_time, job_id) where status in ('blocked_mapping', 'open', 'filled');
create index jobs_of_provider_status on jobs (provider_id, status, start_time, job_id);
drop index jobs_future;
create index jobs_future on jobs (provider_id, start_time, job_id) where status in ('blocked_mapping', 'open', 'filled');
-- The open issues in order of urgency (src/contract/issue-urgency.ts).
create index issues_urgency on issues ((case
  when code in ('token_rejected', 'mass_disappearance', 'provider_down', 'provider_implausible', 'route_missing', 'provider_refused',
    'provider_gave_no_answer', 'shift_overfilled', 'booking_failed', 'booking_overlaps', 'competence_missing',
    'unassign_failed', 'candidate_ambiguous', 'cancellation_refused') then 2
  when code in ('provider_check', 'provider_check_failed') then 0 else 1 end), issue_id) where resolved_at is null;
