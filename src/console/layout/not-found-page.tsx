import { PageHead } from "../components/page-head.tsx";

/** Of an address that the operator's role may not use. */
export function NotPermittedPage() {
  return (
    <>
      <PageHead title="Not for your role" />
      <p>
        An admin changes roles. Continue with the <a href="/console/">jobs</a>.
      </p>
    </>
  );
}

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
