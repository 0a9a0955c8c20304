-- How often a mail that was delivered was sent again: each time under a Message-ID of its own.
alter table notifications add column resends integer not null default 0;

-- A refused mail is an issue about that notification: the one that the issue names, else the candidate's last refused one.
update issues set subject = jsonb_strip_nulls(jsonb_build_object('kind', 'notification', 'candidateId', subject -> 'candidateId',
    'notificationId', coalesce(params ->> 'notificationId', (
      select notification_id::text from notifications
      where notifications.provider_id = issues.provider_id and candidate_id::text = issues.subject ->> 'candidateId'
        and channel is not null and delivered_at is null and withdrawn_at is null
        and delivery_error in ('gave_up', 'address_unusable')
      order by notification_id desc limit 1))))
  where subject ->> 'kind' = 'mail_recipient';
-- Nothing that the candidate should have received is undelivered.
update issues set resolved_at = now()
  where resolved_at is null and subject ->> 'kind' = 'notification' and subject ->> 'notificationId' is null;
