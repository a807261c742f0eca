/**
 * Explains a request from proxy to proxy.
 *
 * @module
 */
import type { View } from "../../mesh/graph/mod.ts";
import { MESH_ALPN } from "../../mesh/envoy/mod.ts";
import { isIp } from "../../kit/text/mod.ts";
import { type Provenance, provenanceOf as explainResource } from "../../mesh/translate/mod.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";
import {
  type Call,
  type Ending,
  type Resources,
  resourcesOf,
  type Shelf,
  type Target,
} from "../simulate/mod.ts";
import { type CallContext, firstCall, nextCall } from "./calls.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import type { Question } from "./question.ts";
import { explainCall, type ExplainedStep, type ProvenanceOf } from "./steps.ts";
import { idOf, type Party, partyAt, type World } from "./world.ts";

/** The way through one proxy. */
export interface Hop {
  /** `NAME.NAMESPACE`. */
  readonly proxy: string;
  readonly direction: Call["direction"];
  /** Destination of the connection, `ip:port`. */
  readonly destination: string;
  readonly steps: readonly ExplainedStep[];
}

/** An explained request. Plain data, ready for JSON; credentials are not part of it. */
export interface Explanation {
  readonly hops: readonly Hop[];
  /** At least one; shares add up to 1. */
  readonly outcomes: readonly Outcome[];
  /** Facts that the explanation assumes. */
  readonly assumptions: readonly string[];
  /** Parts of the configuration that are not modelled. */
  readonly unmodelled: readonly string[];
}

/** Clusters of one proxy that are followed to the next proxy. */
const FOLLOWED = 8;
/** An explanation under construction. */
interface Draft extends CallContext {
  readonly causes: boolean;
  readonly contentOf: (view: View) => Shelf | undefined;
  readonly hops: Hop[];
}

/** Parts of an explanation that can be left out. */
export interface ExplainOptions {
  /** False: the steps name no objects and fields, whose search is most of the work. Default: true. */
  readonly causes?: boolean;
  /**
   * Content of a view at another time; `undefined`: it had none. The services, and the proxies of
   * endpoints, are those of now. Causes must be left out, because they are those of now as well.
   */
  readonly contentOf?: (view: View) => Shelf | undefined;
}

/**
 * Explains a request that starts at a proxy: at its workload, or as a client of a gateway.
 *
 * @example
 * ```ts
 * import { explain, parseQuestion, type Party, verdictOf, type World } from "./mod.ts";
 *
 * // The outcome of a request from a workload, and the objects that refuse it.
 * function outcome(world: World, from: Party): string {
 *   const question = parseQuestion({ from: "web-1.shop", url: "http://reviews.shop/" });
 *   if (typeof question === "string") return question;
 *   const { text, by } = verdictOf(explain(world, from, question));
 *   return [text, ...by].join("\n");
 * }
 * ```
 */
export function explain(
  world: World,
  from: Party,
  question: Question,
  { causes = true, contentOf = (view) => view }: ExplainOptions = {},
): Explanation {
  const draft: Draft = {
    world,
    causes,
    contentOf,
    hops: [],
    assumptions: new Set(),
    unmodelled: new Set(),
  };
  const resources = servedTo(draft, from);
  const call = firstCall(draft, from, question, resources);
  const endings = pass(draft, from, resources, call);
  const outcomes = endings.flatMap((one, at) => onward(draft, from, call, { ...one, at }));
  return {
    hops: draft.hops,
    outcomes,
    assumptions: [...draft.assumptions],
    unmodelled: [...draft.unmodelled],
  };
}

/** An ending with its outcome. */
interface Ended {
  readonly ending: Ending;
  readonly outcome: Outcome;
  /** True: the proxy ends the TLS of its client. */
  readonly endsTls: boolean;
}

function pass(draft: Draft, party: Party, resources: Resources, call: Call): Ended[] {
  const { verdict, steps } = explainCall(
    resources,
    call,
    draft.causes ? provenanceFor(draft.world, party) : undefined,
  );
  for (const what of verdict.unmodelled) draft.unmodelled.add(what);
  const { ip, port } = call.destination;
  const proxy = idOf(party);
  draft.hops.push({ proxy, direction: call.direction, destination: hostPort(ip, port), steps });
  const endsTls = verdict.steps.some(({ stage }) => stage === "TLS");
  return verdict.endings.map((ending) => ({
    ending,
    endsTls,
    outcome: outcomeOf(ending, proxy, steps),
  }));
}

function servedTo({ contentOf }: Draft, party: Party): Resources {
  return resourcesOf((typeUrl) => {
    const view = party.view(typeUrl);
    return view && contentOf(view);
  });
}

function provenanceFor({ mesh, objectOf }: World, party: Party): ProvenanceOf {
  const one = (type: string, name: string) => {
    const view = party.view(type);
    return view && explainResource({ mesh, view, type, name, objectOf });
  };
  return (type, name) => {
    const parts = type !== TYPE_URLS.route
      ? []
      : [...party.view(TYPE_URLS.virtualHost)?.names() ?? []]
        .filter((part) => part.slice(0, part.lastIndexOf("/")) === name)
        .map((part) => inTable(part, one(TYPE_URLS.virtualHost, part)));
    return [one(type, name), ...parts].filter((found) => found !== undefined);
  };
}

/**
 * The provenance of a virtual host that is a separate resource, with the paths that it has in a
 * route table: they begin with the name of the virtual host, which is that of the resource.
 */
function inTable(name: string, provenance: Provenance | undefined): Provenance | undefined {
  if (provenance === undefined) return undefined;
  const groups = provenance.groups.map((group) => ({ ...group, of: [name, ...group.of] }));
  return { ...provenance, groups };
}

/** Follows a forwarded call into the sidecar of its first endpoint. */
function onward(
  draft: Draft,
  from: Party,
  call: Call,
  { ending, outcome, at }: Ended & { readonly at: number },
): Outcome[] {
  if (ending.kind !== "forwarded") return [outcome];
  const target = ending.upstream.endpoints.find(({ healthy }) => healthy) ??
    ending.upstream.endpoints[0];
  const [ip, port] = target === undefined ? ["", 0] as const : addressOf(target);
  const next = isIp(ip) ? partyAt(draft.world, ip, port) : undefined;
  if (target === undefined || next === undefined) {
    draft.assumptions.add("endpoints without a connected sidecar accept every request");
    return [outcome];
  }
  if (at >= FOLLOWED) {
    draft.assumptions.add(`only the first ${FOLLOWED} destinations are followed to their sidecars`);
    return [outcome];
  }
  if (ending.upstream.endpoints.length > 1) {
    draft.assumptions.add(
      `the first endpoint of ${ending.cluster} is chosen; others may decide differently`,
    );
  }
  const inbound = nextCall(draft, from, call, { ending, target });
  const resources = servedTo(draft, next);
  const endings = pass(draft, next, resources, { ...inbound, destination: { ip, port } });
  return endings.map(({ ending: last, outcome: one, endsTls }) => {
    const passedOn = inMeshTls(target) && !endsTls && last.kind === "forwarded";
    const result = passedOn ? notEnded(draft, one) : one;
    return { ...result, share: one.share * ending.share };
  });
}

/** True: the proxy speaks the mesh's mutual TLS to the endpoint, which no application ends. */
function inMeshTls({ handshake }: Target): boolean {
  return handshake?.alpn.includes(MESH_ALPN) === true;
}

/** The outcome of mutual TLS that reaches the application. */
function notEnded({ hops }: Draft, { share, proxy }: Outcome): Outcome {
  const why = `${proxy} passes the client's mutual TLS on to the application, which cannot end it`;
  const causes = (hops[0]?.steps ?? []).flatMap((one) => one.causes)
    .filter(({ decides }) => decides === "mutualTls");
  return {
    share,
    kind: "refused",
    proxy,
    text: `the connection is closed: ${why}`,
    refusal: { by: "TLS", why, causes },
  };
}

function addressOf({ address }: Target): readonly [ip: string, port: number] {
  const colon = address.lastIndexOf(":");
  const ip = address.slice(0, Math.max(0, colon)).replace(/^\[|\]$/g, "");
  return [ip, Number(address.slice(colon + 1))];
}

function hostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
