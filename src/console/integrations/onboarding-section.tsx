import type { ComponentChildren } from "preact";
import type { Integration, MappingProgress } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
import { ActionButton, ConfirmedAction } from "../components/dialog.tsx";
import { ErrorBox, Section } from "../components/section.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";
import { ProviderError, STATES } from "./badges.tsx";
import type { Organisation } from "./use-integration.ts";
import type { Mapping } from "./use-mapping.ts";

export type StepName = "registered" | "read" | "mapped" | "active";

export interface Step {
  name: StepName;
  title: string;
  isDone: boolean;
  /** The progress of the step, or what it needs. */
  detail: string;
}

const NOTHING_READ: MappingProgress = { outlets: 0, mappedOutlets: 0, roles: 0, mappedRoles: 0 };

/** From registering an organisation to an active integration (contract section 1, "Entity mapping before activation"). */
export function stepsOf({ state, mapping = NOTHING_READ }: Pick<Integration, "state" | "mapping">): Step[] {
  const isRead = mapping.outlets > 0 && mapping.roles > 0;
  const open = unmapped(mapping);
  return [
    {
      name: "registered",
      title: "Registered, tokens exchanged",
      isDone: true,
      detail: "The provider sends webhooks with the platform token.",
    },
    {
      name: "read",
      title: "Outlets and roles read",
      isDone: isRead,
      detail: read(mapping, isRead),
    },
    {
      name: "mapped",
      title: "Mapped to workplaces and competences",
      isDone: isRead && open === 0,
      detail: isRead ? mapped(mapping, open) : "After outlets and roles are read.",
    },
    {
      name: "active",
      title: "Active",
      isDone: state === "active",
      detail:
        state === "active"
          ? "Webhooks are processed."
          : "Stored webhooks are processed after the activation.",
    },
  ];
}

/** The first open step; undefined when all are done. Activating again requires no mapping (operations document). */
export function nextStep({ state }: Pick<Integration, "state">, steps: readonly Step[]): Step | undefined {
  return steps.find(({ isDone, name }) => !isDone && (state !== "suspended" || name === "active"));
}

/** How many outlets and roles have no workplace or competence. */
export const unmapped = (mapping = NOTHING_READ): number =>
  mapping.outlets - mapping.mappedOutlets + mapping.roles - mapping.mappedRoles;

function read({ outlets, roles }: MappingProgress, isRead: boolean): string {
  if (outlets + roles === 0) return "The platform calls GET /outlets and GET /roles.";
  const counts = `${counted(outlets, "outlet")}, ${counted(roles, "role")}.`;
  return isRead ? counts : `${counts} Both are required.`;
}

function mapped({ outlets, roles }: MappingProgress, open: number): string {
  const all = outlets + roles;
  return open === 0 ? `All ${all}.` : `${all - open} of ${all}; jobs of the others are blocked.`;
}

interface Props {
  organisation: Organisation;
  mapping: Mapping;
}

/** The steps of the onboarding, with the button for the next one. */
export function OnboardingSection({ organisation, mapping }: Props) {
  const { integration } = organisation;
  const steps = stepsOf(integration);
  const activate = useActivation(organisation);
  const next = nextStep(integration, steps);
  return (
    <Section id="onboarding" title="Onboarding">
      <ol class="steps">
        {steps.map((step) => (
          <StepItem key={step.name} step={step} isNext={step === next}>
            {step === next && may(CALLS[step.name]) && (
              <NextAction {...{ step, mapping, activate }} state={integration.state} />
            )}
          </StepItem>
        ))}
      </ol>
      {activate.error && <ErrorBox error={activate.error} />}
      <p class="soft">{STATES[integration.state].meaning}</p>
      {integration.state === "active" && may("suspendIntegration") && <Suspend {...organisation} />}
    </Section>
  );
}

/** Activates the integration. A 409 lists what is missing, and is shown until nothing is. */
function useActivation({ integration, reload }: Organisation): Action<[]> {
  const { error, ...action } = useAction(async () => {
    const path = { providerId: integration.providerId };
    try {
      await ask(api.activateIntegration({ params: { path } }));
    } finally {
      // Also after a refusal: the provider then has something that this page does not show yet.
      reload();
    }
    return `${integration.name} is active. Its provider is being checked.`;
  });
  const isReady = unmapped(integration.mapping) === 0 && integration.routingSource !== "pending";
  const isFixed = error?.code === "not_ready" && isReady;
  return { ...action, ...(error && !isFixed && { error }) };
}

function StepItem({ step, isNext, children }: { step: Step; isNext: boolean; children: ComponentChildren }) {
  const { title, isDone, detail } = step;
  const state = isDone ? "done" : isNext ? "next" : "later";
  return (
    <li data-state={state} {...(isNext && { "aria-current": "step" })}>
      <p>
        <strong>{title}</strong> <span class="soft">({state})</span> <span class="soft">{detail}</span>
      </p>
      {children}
    </li>
  );
}

/** The operation of each step. */
const CALLS = {
  registered: "createIntegration",
  read: "discoverIntegration",
  mapped: "updateMappings",
  active: "activateIntegration",
} as const;

interface NextProps {
  step: Step;
  state: Organisation["integration"]["state"];
  mapping: Mapping;
  activate: Action<[]>;
}

function NextAction({ step, state, mapping, activate }: NextProps) {
  if (step.name === "read") {
    const { run, isRunning, error } = mapping.discover;
    return (
      <>
        <ActionButton action={mapping.discover} tone="primary" onClick={run}>
          {isRunning ? "Reading …" : "Read from the provider"}
        </ActionButton>
        {error && <ProviderError error={error} />}
      </>
    );
  }
  if (step.name === "mapped") return <MapAction mapping={mapping} />;
  return (
    <ActionButton action={activate} tone="primary" onClick={activate.run}>
      {state === "suspended" ? "Activate again" : "Activate"}
    </ActionButton>
  );
}

function MapAction({ mapping: { unsaved, save } }: Pick<Props, "mapping">) {
  if (unsaved === 0) {
    return (
      <a class="button primary" href="#mapping">
        Map now
      </a>
    );
  }
  return (
    <>
      <ActionButton action={save} tone="primary" onClick={save.run}>
        Save the mapping
      </ActionButton>
      {save.error && <ErrorBox error={save.error} />}
    </>
  );
}

function Suspend({ integration: { providerId, name }, reload }: Organisation) {
  const suspend = async () => {
    await ask(api.suspendIntegration({ params: { path: { providerId } } }));
    reload();
    return `${name} is suspended.`;
  };
  return (
    <p>
      <ConfirmedAction
        label="Suspend …"
        title={`Suspend ${name}?`}
        confirm={`Suspend ${name}`}
        act={suspend}
        focusAfter="onboarding-title"
      >
        <ul class="effects">
          <li>
            Webhooks are still accepted with 200 and stored, and they wait: changes of shifts are not seen.
          </li>
          <li>
            Jobs are not offered and take no new bookings. Offers that were sent stay, but a candidate who
            accepts one is refused.
          </li>
          <li>Confirmed bookings stay. What was requested before at the provider is still carried out.</li>
          <li>Mail that waits is still sent.</li>
        </ul>
        <p>Nothing is lost: activating the integration again resumes everything.</p>
      </ConfirmedAction>
    </p>
  );
}
