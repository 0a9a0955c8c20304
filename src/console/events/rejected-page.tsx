import type { RejectedWebhook } from "../../../generated/operations/types.ts";
import { fieldWords } from "../../contract/field-words.ts";
import { entryOf } from "../../contract/operator-text.ts";
import { catalogue } from "../../contract/problem.ts";
import type { Column } from "../components/cells.tsx";
import { anyText, FilterForm, OrganisationFilter, useFilter } from "../components/filters.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, PagedList, Table } from "../components/table.tsx";
import { formatCount, Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { type ReadPage, usePages } from "../data/pages.ts";

const FILTER = { providerId: anyText };

/** The webhooks that were refused, by organisation, cause and hour. */
export function RejectedPage() {
  const { filter, set, ...filtering } = useFilter("/console/events/rejected", FILTER);
  const pages = usePages(`rejected webhooks ${filter.providerId}`, (page) =>
    ask(api.listRejectedWebhooks({ params: { query: { ...filter, ...page } } })),
  );
  return (
    <>
      <PageHead title="Rejected webhooks" within={{ href: "/console/events", name: "Events" }} />
      <FilterForm {...filtering}>
        <OrganisationFilter value={filter.providerId} onChange={set("providerId")} />
      </FilterForm>
      <PagedList
        {...{ pages, ...filtering }}
        one="rejected webhook"
        empty={<Empty title="No webhook was rejected" />}
      >
        {(rejected) => <RejectedTable rejected={rejected} readPage={pages.readPage} />}
      </PagedList>
    </>
  );
}

function RejectedTable({
  rejected,
  readPage,
}: {
  rejected: RejectedWebhook[];
  readPage: ReadPage<RejectedWebhook>;
}) {
  const names = useNames();
  const columns: Column<RejectedWebhook>[] = [
    { name: "Last", cell: ({ lastAt }) => <Time at={lastAt} /> },
    {
      name: "Organisation",
      cell: ({ providerId }) =>
        providerId === undefined ? (
          <span class="soft">unknown: no valid token</span>
        ) : (
          (names.integration(providerId)?.name ?? providerId)
        ),
    },
    {
      name: "Why",
      cell: ({ code, pointer }) => (
        <>
          {entryOf<{ title: string }>(catalogue, code)?.title ?? code}
          {pointer !== "" && ` (${fieldWords(pointer)})`}
        </>
      ),
    },
    { name: "Times in that hour", isNumber: true, cell: ({ count }) => formatCount(count) },
  ];
  return (
    <Table
      saved={{ name: "rejected-webhooks", readPage }}
      caption="Rejected webhooks, newest first"
      columns={columns}
      rows={rejected}
      keyOf={({ rejectionId }) => rejectionId}
    />
  );
}
