/**
 * States of proxies.
 *
 * @module
 */
import type { SessionInfo, TypeStatus } from "../../../mesh/xds/mod.ts";
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import { ageOf } from "../proxies.ts";
import { badge, h, span, type Tone } from "./layout.ts";

/** The state of a proxy as a whole: the worst of its types. */
export type ProxyState = "error" | "behind" | "synced";

/** States with their colours, the worst first. */
export const STATES: Readonly<Record<ProxyState, Tone>> = {
  error: "bad",
  behind: "warn",
  synced: "good",
};

export function stateOf({ types }: SessionInfo): ProxyState {
  if (types.some((type) => type.state === "ERROR")) return "error";
  return types.some((type) => type.state === "STALE" || waits(type)) ? "behind" : "synced";
}

/**
 * True for a subscribed type that is served and was not sent yet. A type that is not served waits
 * for nothing.
 */
function waits({ state, view }: TypeStatus): boolean {
  return state === "NOT SENT" && view !== undefined;
}

/** Shows the state of one type with its age. */
export function typeState(
  session: SessionInfo,
  short: string,
  now: number,
): ComponentChildren {
  const type = session.types.find((one) => one.short === short);
  if (type === undefined) return h("span", { class: "mute", title: "not subscribed" }, "–");
  const age = ageOf(type, now);
  const words = age === undefined ? type.state : `${type.state} (${age < 1000 ? "0s" : span(age)})`;
  return badge(words, TONES[type.state], type.nack?.message);
}

const TONES: Readonly<Record<TypeStatus["state"], Tone>> = {
  SYNCED: "good",
  STALE: "warn",
  "NOT SENT": "plain",
  ERROR: "bad",
};
