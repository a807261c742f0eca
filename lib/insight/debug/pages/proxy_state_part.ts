/**
 * Reports of agents about their Envoys, on pages.
 *
 * @module
 */
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import type { ProxyPhase } from "../../../mesh/model/mod.ts";
import type { SessionInfo } from "../../../mesh/xds/mod.ts";
import { type ReportedState, stateWithoutReport } from "../../monitor/mod.ts";
import type { DebugInputs } from "../inputs.ts";
import { proxyName } from "../proxies.ts";
import { howItEnded, serving } from "../proxy_states.ts";
import { longText } from "./collapse.ts";
import { debugPage, shellOf } from "./frame.ts";
import { ago, badge, count, facts, h, proxyLink, size, span, table, type Tone } from "./layout.ts";

const TONES: Readonly<Record<ProxyPhase, Tone>> = {
  starting: "warn",
  ready: "good",
  silent: "bad",
  draining: "warn",
  exited: "bad",
};

/** Why there is no report. */
const UNREPORTED = {
  "not reported": "Its agent is older, or there is none: whether its Envoy is well is not known.",
  "no Envoy": "It is a node proxy, or a library that speaks xDS itself.",
};

/** The reported state of a connected proxy as a word. */
export function envoyState(inputs: DebugInputs, { node }: SessionInfo): ComponentChildren {
  const reported = inputs.proxyStates.of(node.id);
  if (reported === undefined) {
    const state = stateWithoutReport(node);
    return badge(state, "plain", UNREPORTED[state]);
  }
  const { phase, reason } = reported.state;
  return badge(phase, TONES[phase], reason);
}

/** The reported state of a connected proxy in words. */
export function envoyFact(inputs: DebugInputs, session: SessionInfo): ComponentChildren {
  const reported = inputs.proxyStates.of(session.node.id);
  const state = envoyState(inputs, session);
  if (reported === undefined) {
    return [state, ` ${UNREPORTED[stateWithoutReport(session.node)]}`];
  }
  const now = inputs.now();
  const { state: { reason, memory, certificate, rejected, warming }, since, at } = reported;
  const exits = inputs.proxyStates.exits(session.node.id);
  const refused = (rejected?.clusters ?? 0) + (rejected?.listeners ?? 0);
  const cold = (warming?.clusters ?? 0) + (warming?.listeners ?? 0);
  const parts = [
    ...reason === undefined ? [] : [reason],
    ...memory?.proxy === undefined ? [] : [`${size(memory.proxy)} of memory`],
    ...memory?.agent === undefined ? [] : [`${size(memory.agent)} of its agent`],
    ...certificate === undefined ? [] : [
      certificate.notAfter > now
        ? `its certificate ends in ${span(certificate.notAfter - now)}`
        : "its certificate has ended",
    ],
    ...refused > 0
      ? [`${count(refused, "update", "updates")} of clusters and listeners rejected`]
      : [],
    ...cold > 0 ? [`${count(cold, "cluster or listener", "clusters and listeners")} warming`] : [],
    ...exits.length > 0 ? [`exited ${count(exits.length, "time", "times")} in 15 minutes`] : [],
  ];
  return [
    state,
    " for ",
    ago(since, now),
    parts.length === 0 ? "" : `; ${parts.join("; ")}`,
    "; reported ",
    ago(at, now),
    " ago",
  ];
}

/** Proxies that exited and did not come back. */
export function exitedTable(
  exited: readonly ReportedState[],
  now: number,
): ComponentChildren {
  return table({
    caption: `Exited, and not connected again (${exited.length})`,
    columns: ["Proxy", "Ended", "Ago", "Last line"],
    rows: exited.map(({ node, state: { exit }, since }) => [
      proxyLink(proxyName(node)),
      [badge(howItEnded(exit!), "bad")],
      ago(since, now),
      longText(exit!.lines.at(-1) ?? ""),
    ]),
    empty: "None that matches.",
  });
}

/** The page of a proxy that exited; `undefined`: none of this name did. */
export function exitedPage(inputs: DebugInputs, url: URL, proxy: string): Response | undefined {
  const reported = inputs.proxyStates.exited().findLast(({ node }) => proxyName(node) === proxy);
  if (reported === undefined) return undefined;
  const now = inputs.now();
  const { node, state: { exit, memory, certificate }, since } = reported;
  const exits = inputs.proxyStates.exits(node.id);
  return debugPage(shellOf(inputs, url), {
    title: proxy,
    at: "/debug/proxies",
    below: [],
    body: [
      h(
        "p",
        { class: "banner bad", role: "status" },
        ["Its Envoy exited ", howItEnded(exit!), ", ", ago(since, now), " ago, and is not back"],
      ),
      facts([
        ["Node", node.id],
        ["Exited at", new Date(since).toISOString()],
        ["Exits in 15 minutes", exits.length],
        ["Effect", serving(inputs, reported)],
        [
          "Memory before",
          memory?.proxy === undefined ? "not reported" : size(memory.proxy),
        ],
        [
          "Its certificate ends",
          certificate === undefined ? "not reported" : new Date(certificate.notAfter).toISOString(),
        ],
      ]),
      h("h2", null, "Last lines of its log"),
      exit!.lines.length === 0
        ? h("p", null, "It wrote nothing.")
        : h("pre", null, exit!.lines.join("\n")),
    ],
  });
}
