import type { ComponentChildren } from "preact";
import type { Action } from "../data/use-action.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { STATES } from "./labels.ts";
import { nextStep, type Step, stepsOf } from "./onboarding.ts";
import { ProviderTrouble } from "./provider-trouble.tsx";
import { Section } from "./section.tsx";
import { SuspendButton } from "./suspend-button.tsx";
import { useActivation } from "./use-activation.ts";
import type { Organisation } from "./use-integration.ts";
import type { Mapping } from "./use-mapping.ts";

interface Props {
  organisation: Organisation;
  mapping: Mapping;
}

/** The steps of the onboarding, with the button for the next one. */
export function OnboardingSection({ organisation, mapping }: Props) {
  const { integration, discovery } = organisation;
  const steps = stepsOf(integration, discovery);
  const activate = useActivation(organisation);
  const next = nextStep(integration, steps);
  return (
    <Section id="onboarding" title="Onboarding">
      <ol class="steps">
        {steps.map((step) => (
          <StepItem key={step.name} step={step} isNext={step === next}>
            {step === next && <NextAction {...{ step, mapping, activate }} state={integration.state} />}
          </StepItem>
        ))}
      </ol>
      {activate.trouble && <TroubleBox trouble={activate.trouble} />}
      <p class="soft">{STATES[integration.state].meaning}</p>
      {integration.state === "active" && <SuspendButton {...organisation} />}
    </Section>
  );
}

function StepItem({ step, isNext, children }: { step: Step; isNext: boolean; children: ComponentChildren }) {
  const { title, isDone, detail } = step;
  return (
    <li data-state={isDone ? "done" : isNext ? "next" : "later"} {...(isNext && { "aria-current": "step" })}>
      <p>
        <strong>{title}</strong> <span class="soft">({isDone ? "done" : isNext ? "next" : "later"})</span>{" "}
        <span class="soft">{detail}</span>
      </p>
      {children}
    </li>
  );
}

interface NextProps {
  step: Step;
  state: Organisation["integration"]["state"];
  mapping: Mapping;
  activate: Action<[]>;
}

function NextAction({ step, state, mapping, activate }: NextProps) {
  if (step.name === "read") {
    const { run, isRunning, trouble } = mapping.discover;
    return (
      <>
        <ActionButton action={mapping.discover} tone="primary" onClick={run}>
          {isRunning ? "Reading …" : "Read from the provider"}
        </ActionButton>
        {trouble && <ProviderTrouble trouble={trouble} />}
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
      {save.trouble && <TroubleBox trouble={save.trouble} />}
    </>
  );
}
