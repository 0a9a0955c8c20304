import { PageHead } from "../components/page-head.tsx";

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Page not found" />
      <p>
        The address may be outdated. Continue with the <a href="/console/">jobs</a>.
      </p>
    </>
  );
}
