-- works with: 013
-- Of the span in which a webhook was stored (W3C trace context), while the platform traces: its run continues that trace.
alter table events add column traceparent text;
