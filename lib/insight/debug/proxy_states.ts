/**
 * Reports of agents about their proxies: as JSON, and as troubles of the overview.
 *
 * @module
 */
import { formatDuration } from "../../kit/base/mod.ts";
import { json, type Route } from "../../kit/web/mod.ts";
import type { ProxyExit } from "../../mesh/model/mod.ts";
import { type PastExit, type ReportedState, stateWithoutReport } from "../monitor/mod.ts";
import { debugRoute } from "./access.ts";
import { allServices } from "./config.ts";
import type { DebugInputs } from "./inputs.ts";
import { endsSoon } from "./mesh_map.ts";
import type { Trouble } from "./trouble.ts";

/** `/debug/proxy_states`. */
export function proxyStateRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/proxy_states", ({ url }) => {
      const namespace = url.searchParams.get("namespace");
      return json(
        proxyStates(inputs).filter((one) =>
          namespace === null || one.proxy.endsWith(`.${namespace}`)
        ),
      );
    }),
  ];
}

/** A proxy, connected or exited. */
interface ProxyStateView {
  /** `name.namespace`. */
  readonly proxy: string;
  readonly [field: string]: unknown;
}

function proxyStates(inputs: DebugInputs): ProxyStateView[] {
  const connected = new Map(inputs.sessions().map(({ node }) => [node.id, node]));
  const exited = inputs.proxyStates.exited();
  for (const { node } of exited) connected.delete(node.id);
  return [
    ...exited.map((one) => viewOf(inputs, one)),
    ...[...connected.values()].map((node): ProxyStateView => {
      const reported = inputs.proxyStates.of(node.id);
      if (reported !== undefined) return viewOf(inputs, reported);
      return { proxy: `${node.name}.${node.namespace}`, state: stateWithoutReport(node) };
    }),
  ];
}

function viewOf(inputs: DebugInputs, reported: ReportedState): ProxyStateView {
  const { node, state: { phase, ageMs: _, exit, certificate, ...rest }, since, at } = reported;
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    proxy: proxyOf(reported),
    state: phase,
    since: time(since),
    reportedAt: time(at),
    ...exit === undefined ? {} : { exit: { ...exit, text: howItEnded(exit) } },
    ...certificate === undefined ? {} : {
      certificate: {
        notBefore: time(certificate.notBefore),
        notAfter: time(certificate.notAfter),
      },
    },
    exits: inputs.proxyStates.exits(node.id).map(({ exit, at }) => ({
      at: time(at),
      text: howItEnded(exit),
    })),
    ...rest,
  };
}

function proxyOf({ node: { name, namespace } }: ReportedState): string {
  return `${name}.${namespace}`;
}

/** Such as `by SIGKILL` or `with exit status 1`. */
export function howItEnded({ signal, code }: ProxyExit): string {
  return signal === undefined ? `with exit status ${code}` : `by ${signal}`;
}

/** Exited proxies whose services are looked up; the others say only what happened. */
const EXPLAINED = 10;

/** Proxies that exited, that exited and are back, that hang, or whose certificate ends. */
export function proxyTroubles(inputs: DebugInputs): Trouble[] {
  return [
    ...inputs.proxyStates.exited().map((one, at) =>
      ofExited(inputs, one, at < EXPLAINED ? serving(inputs, one) : failing(one))
    ),
    ...ofAllConnected(inputs),
  ];
}

/** The number of {@link proxyTroubles}. */
export function countProxyTroubles(inputs: DebugInputs): number {
  return inputs.proxyStates.exited().length + ofAllConnected(inputs).length;
}

function ofAllConnected(inputs: DebugInputs): Trouble[] {
  return inputs.proxyStates.connected().flatMap((one) => ofConnected(inputs, one));
}

function ofExited(inputs: DebugInputs, reported: ReportedState, effect: string): Trouble {
  const { state: { exit }, since } = reported;
  const exits = inputs.proxyStates.exits(reported.node.id);
  const times = exits.length > 1 ? `; it exited ${exits.length} times in 15 minutes` : "";
  return {
    tone: "bad",
    text: `The Envoy of ${proxyOf(reported)} exited ${howItEnded(exit!)}${times}`,
    message: [effect, lastLine(exit!)].filter((part) => part !== "").join(". "),
    remedy: remedyOf(exit!),
    since,
    culprits: [],
    proxies: [proxyOf(reported)],
    page: "/debug/proxies?state=exited",
  };
}

function failing({ node: { role } }: ReportedState): string {
  const what = role === "router" ? "through this gateway" : "to and from its workload";
  return `Requests ${what} fail until its agent is started again`;
}

/** Says which endpoints still serve the services of the proxy's workload. */
export function serving(inputs: DebugInputs, reported: ReportedState): string {
  const { node } = reported;
  const { mesh } = inputs;
  const own = new Set(node.ips);
  const services = allServices(inputs).flatMap((service) => {
    const endpoints = mesh.graph.peek(mesh.services.endpoints, service);
    if (!endpoints.some(({ address }) => own.has(address))) return [];
    const others = endpoints.filter(({ address }) => !own.has(address)).length;
    return [
      others === 0
        ? `${service.host} has no endpoint at another address`
        : `${service.host} has ${others} endpoint${others === 1 ? "" : "s"} at other addresses`,
    ];
  });
  const more = services.length - SHOWN_SERVICES;
  const named = services.slice(0, SHOWN_SERVICES).join(", ");
  return [
    failing(reported),
    ...named === "" ? [] : [more > 0 ? `${named} and ${more} more` : named],
  ].join(
    "; ",
  );
}

const SHOWN_SERVICES = 3;

function lastLine({ lines }: ProxyExit): string {
  return lines.length === 0 ? "" : `Its last line: ${lines.at(-1)}`;
}

/** The usual causes, by the way of the end. */
function remedyOf({ signal }: ProxyExit): string {
  if (signal === "SIGKILL") {
    return "Find out who killed it: the kernel for lack of memory (the orchestrator then says " +
      "OOMKilled; raise the limit), or a person. Its agent ended too; start it again if the " +
      "orchestrator or the service manager does not.";
  }
  if (signal !== undefined) {
    return "Envoy crashed or was ended: its log has the stack. Start its agent again if the " +
      "orchestrator or the service manager does not.";
  }
  return "Envoy ended by itself; its last lines say why. A refused bootstrap file and a port in " +
    "use are the common reasons.";
}

/** A start takes less than this, ms. */
const SLOW_START_MS = 60_000;

function ofConnected(inputs: DebugInputs, reported: ReportedState): Trouble[] {
  const proxy = proxyOf(reported);
  const shared = {
    culprits: [],
    proxies: [proxy],
    page: "/debug/proxies",
  };
  const found: Trouble[] = [];
  const { state: { phase, reason, certificate }, since, node } = reported;
  if (phase === "silent") {
    found.push({
      ...shared,
      tone: "bad",
      text: `The Envoy of ${proxy} runs and does not answer its agent`,
      ...reason !== undefined && { message: reason },
      remedy: "Look at its CPU, and whether it is stopped; if it stays so, end it.",
      since,
    });
  }
  const now = inputs.now();
  if (phase === "starting" && now - since > SLOW_START_MS) {
    found.push({
      ...shared,
      tone: "warn",
      text: `The Envoy of ${proxy} is not ready`,
      ...reason !== undefined && { message: reason },
      remedy: "Its log, and the page of the proxy with what it rejects, say more.",
      since,
    });
  }
  const exits = inputs.proxyStates.exits(node.id);
  if (exits.length > 0) found.push({ ...shared, ...restarted(proxy, exits) });
  if (certificate !== undefined && endsSoon({ name: "", ...certificate }, now)) {
    const left = certificate.notAfter - now;
    found.push({
      ...shared,
      tone: left > 0 ? "warn" : "bad",
      text: left > 0
        ? `The certificate of ${proxy} ends in ${formatDuration(Math.floor(left / 1000) * 1000)}`
        : `The certificate of ${proxy} has ended`,
      message: "Its agent did not renew it; it serves until its end",
      remedy: "The agent's log says why; check that the certificate authority is reachable.",
      since: left > 0 ? undefined : certificate.notAfter,
    });
  }
  return found;
}

function restarted(
  proxy: string,
  exits: readonly PastExit[],
): Pick<Trouble, "tone" | "text" | "message" | "remedy" | "since"> {
  const { exit, at } = exits.at(-1)!;
  const times = exits.length === 1 ? "once" : `${exits.length} times`;
  return {
    tone: "warn",
    text: `The Envoy of ${proxy} exited ${times} in 15 minutes, and runs again`,
    message: `The last time it ended ${howItEnded(exit)}. ${lastLine(exit)}`.trim(),
    remedy: remedyOf(exit),
    since: at,
  };
}
