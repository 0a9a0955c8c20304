import { PageHead } from "../parts/page-head.tsx";

export function NotFoundPage() {
  return (
    <>
      <PageHead title="There is no such page" />
      <p>
        The address may be old. Everything begins at the <a href="/console/">board</a>.
      </p>
    </>
  );
}
