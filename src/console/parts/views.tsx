import { useLocation } from "preact-iso";

export interface View {
  name: string;
  path: string;
}

interface Props {
  views: readonly View[];
  /** What stays when the view changes: `?providerId=...`. */
  query?: string;
}

/** The views of the same things, as links beside the title of each of them. */
export function Views({ views, query = "" }: Props) {
  const { path } = useLocation();
  return (
    <nav class="push" aria-label="Views">
      <ul class="row">
        {views.map(({ name, path: to }) => (
          <li key={to}>
            <a href={`${to}${query}`} {...(to === path && { "aria-current": "page" })}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
