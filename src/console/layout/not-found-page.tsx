import { PageHead } from "../parts/page-head.tsx";

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Page not found" />
      <p>
        The address may be outdated. Continue at the <a href="/console/">board</a>.
      </p>
    </>
  );
}
