/**
 * `/debug/root_change`: the change of the self-signed root, and the operator's decision on it.
 *
 * @module
 */
import { json, type Route, text } from "../../kit/web/mod.ts";
import { changing, debugRoute } from "./access.ts";

/** A change of roots, as the page shows it. */
export interface RootChangeView {
  readonly phase: string;
  /** Serial number of the root that signs; absent without a self-signed root. */
  readonly active?: string;
  /** Serial number of the announced root. */
  readonly next?: string;
  /** Serial number of the root that is removed soon. */
  readonly previous?: string;
  /** Connected proxies that have not received the announced root. */
  readonly waitsFor?: readonly string[];
}

/** The operator's decision: to begin a change, or on the announced root. */
export type RootDecision = "begin" | "proceed" | "abort";

/** Phases in which a decision can be taken. */
const DECISIONS: Readonly<Record<RootDecision, readonly string[]>> = {
  begin: ["stable"],
  proceed: ["announced", "overdue"],
  abort: ["announced", "overdue"],
};

/** The change of roots of a daemon. */
export interface RootChangeControl {
  view(): RootChangeView;
  decide(decision: RootDecision): Promise<void>;
}

/** Without a self-signed root there is nothing to change. */
const NO_ROOT: RootChangeControl = {
  view: () => ({ phase: "none" }),
  decide: () => Promise.resolve(),
};

/** @param control `undefined`: there is no self-signed root, and the phase is `none` */
export function rootChangeRoutes(control: RootChangeControl = NO_ROOT): Route[] {
  const path = "/debug/root_change";
  return [
    debugRoute("GET", path, () => json(control.view())),
    debugRoute(
      "POST",
      path,
      changing(async ({ url }) => {
        const decision = url.searchParams.get("decision");
        if (!isDecision(decision)) {
          const forms = Object.keys(DECISIONS).map((name) => `?decision=${name}`).join(", ");
          return text(`give the decision as one of ${forms}\n`, { status: 400 });
        }
        const { phase } = control.view();
        if (!DECISIONS[decision].includes(phase)) {
          return text(`${decision} is not possible: the phase is ${phase}\n`, { status: 409 });
        }
        await control.decide(decision);
        return json(control.view());
      }),
    ),
  ];
}

function isDecision(text: string | null): text is RootDecision {
  return text !== null && Object.hasOwn(DECISIONS, text);
}
