import type { Page } from "playwright-core";
import type { Sizes } from "./list-data.ts";

/** What an operator does in a page: follows a link, or gives a field a value. */
export type Act = { href: string } | { field: string; value: string };

/** A list, or a search in the one before. */
export interface Step {
  what: string;
  act: Act;
  /** Of the page. */
  title: string;
  rows: string;
  /** Which every row then shows. */
  text?: string;
}

const TABLE = "main tbody tr:not(.day)";

interface Place {
  providerId: string;
  organisation: string;
  /** A job that has no one yet, and the name of its outlet. */
  jobId: string;
  outlet: string;
  people: number;
}

/** The lists of the console, in the order of its navigation. */
export function stepsOf({ providerId, organisation, jobId, outlet, people }: Place): Step[] {
  const list = (title: string, path: string, rows = TABLE): Step => ({
    what: title,
    act: { href: `/console/${path}` },
    title,
    rows,
  });
  const search = (before: Step, field: string, value: string, text = value): Step => ({
    ...before,
    what: `${before.what}: ${field.toLowerCase()} “${value}”`,
    act: { field, value },
    text,
  });
  const jobs = list("Jobs", "");
  const week = list("Week", "week");
  const person = list("People", "people");
  const outlets: Step = {
    ...list(organisation, `integrations/${providerId}`, "#mapping tbody tr"),
    what: "Outlets of an organisation",
  };
  const workplaces = list("Workplaces", "workplaces");
  const issues = list("Issues", "issues", "article.issue");
  const job: Step = { ...list("", `jobs/${jobId}`, "main [role=combobox]"), what: "Job" };
  const candidates: Step = { ...job, rows: "[role=option]" };
  return [
    jobs,
    search(jobs, "Place or id", outlet),
    { ...jobs, what: "Jobs: filled", act: { href: "/console/?status=filled" }, text: "filled" },
    { ...jobs, what: "Jobs: people within 24 hours", act: { href: "/console/?needs=soon" } },
    week,
    search(week, "Place", outlet.split(" ")[0] ?? ""),
    job,
    search(candidates, "Accept for a candidate", `Person ${people}`),
    person,
    search(person, "Name", `Person ${people - 1}`),
    list("Integrations", "integrations"),
    list("Health", "health"),
    outlets,
    workplaces,
    search(workplaces, "Name", outlet),
    list("Competences", "competences"),
    list("Events", "events"),
    list("Rejected webhooks", "events/rejected"),
    issues,
    {
      ...issues,
      what: "Issues: of an organisation",
      act: { href: `/console/issues?providerId=${providerId}` },
    },
    list("Statistics", "statistics", ".chart canvas, .chart svg"),
    list("Operators", "operators"),
    list("Audit log", "audit"),
    search(list("Audit log", "audit"), "Operator", "Operator 7"),
  ];
}

/** The milliseconds from the act until its rows are painted, and the nodes of the page then. */
export function take(
  page: Page,
  { act, title, rows, text = "" }: Step,
): Promise<{ ms: number; nodes: number }> {
  return page.evaluate(
    ({ act, title, rows, text }) => {
      const follow = (href: string) => {
        const link = document.createElement("a");
        link.href = href;
        document.querySelector("main")?.append(link);
        link.click();
        link.remove();
      };
      const enter = (name: string, value: string) => {
        const label = [...document.querySelectorAll("label")].find(
          (each) => each.textContent?.trim() === name,
        );
        const field = label?.control as HTMLInputElement | undefined;
        if (!field) throw new Error(`no field ${name}`);
        field.focus();
        field.value = value;
        for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
      };
      const isShown = () => {
        const found = [...document.querySelectorAll(rows)];
        const isRead = found.length > 0 && found.every((row) => row.textContent?.includes(text));
        const isHere = title === "" || document.querySelector("h1")?.textContent === title;
        return isRead && isHere && !document.querySelector("main [aria-busy=true]");
      };
      return new Promise<{ ms: number; nodes: number }>((resolve) => {
        const begun = performance.now();
        if ("href" in act) follow(act.href);
        else enter(act.field, act.value);
        const look = () => {
          if (!isShown()) return void requestAnimationFrame(look);
          // The frame that shows them is painted before the next one begins.
          requestAnimationFrame(() =>
            resolve({ ms: performance.now() - begun, nodes: document.querySelectorAll("*").length }),
          );
        };
        requestAnimationFrame(look);
      });
    },
    { act, title, rows, text },
  );
}

/** The lists that are saved as CSV, each with its rows; undefined: as many as there are. */
export const savedOf = ({
  jobs,
  people,
}: Sizes): [what: string, path: string, rows: number | undefined][] => [
  ["Jobs", "?status=open", undefined],
  ["People", "people", people],
  ["Workplaces", "workplaces", undefined],
  ["Events", "events", undefined],
  ["Issues", "issues", undefined],
  ["Audit log", "audit", jobs],
  ["Rejected webhooks", "events/rejected", jobs],
];
