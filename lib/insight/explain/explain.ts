/**
 * Explains a request from proxy to proxy.
 *
 * @module
 */
import type { View } from "../../mesh/graph/mod.ts";
import { MESH_ALPN } from "../../mesh/envoy/mod.ts";
import { type Provenance, provenanceOf as explainResource } from "../../mesh/translate/mod.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";
import {
  type Call,
  type Ending,
  type Forwarded,
  type Resources,
  resourcesOf,
  type Shelf,
  type Target,
} from "../simulate/mod.ts";
import { type CallContext, type FirstCall, firstCall, nextCall } from "./calls.ts";
import { type Branch, branchesOf, laggingTypes } from "./onward.ts";
import type { Doubt, Explanation, Hop, Outcome } from "../verdict/mod.ts";
import { mergeOutcomes, outcomeOf } from "./outcome.ts";
import type { Question } from "./question.ts";
import { explainCall, type ProvenanceOf, refOf } from "./steps.ts";
import {
  idOf,
  type PartiesByAddress,
  partiesByAddress,
  type Party,
  servesTls,
  type World,
} from "./world.ts";

/** Branches of one proxy that are followed to the next proxy. */
const FOLLOWED = 64;

/** An explanation under construction. */
interface Draft extends CallContext {
  readonly causes: boolean;
  readonly contentOf: (view: View) => Shelf | undefined;
  readonly hops: Hop[];
  readonly doubts: Map<string, Doubt>;
  readonly elsewhere: Set<string>;
  readonly objects: Set<string>;
  readonly byAddress: PartiesByAddress;
  /** Branches that were followed. */
  followed: number;
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
 * import { explain, parseQuestion, type Party, type World } from "./mod.ts";
 * import { verdictOf } from "../verdict/mod.ts";
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
    ...{ world, causes, contentOf, hops: [], followed: 0 },
    ...{
      assumptions: new Set(),
      unmodelled: new Set(),
      doubts: new Map(),
      elsewhere: new Set(),
      objects: new Set(),
    },
    byAddress: partiesByAddress(world),
  };
  if (from.asksOnDemand === true) {
    draft.assumptions.add(
      `${
        idOf(from)
      } asks for hosts and clusters on demand, and is answered: it may not know them yet`,
    );
  }
  const resources = servedTo(draft, from);
  const first = firstCall(draft, from, question, resources);
  const endings = pass(draft, from, resources, first.call);
  const outcomes = mergeOutcomes(endings.flatMap((one) => onward(draft, from, first, one)));
  for (const { kind, text, remedy } of outcomes) {
    if (kind === "unknown") doubt(draft, text, remedy);
  }
  return {
    ...{ hops: draft.hops, outcomes },
    assumptions: [...draft.assumptions],
    doubts: [...draft.doubts.values()],
    unmodelled: [...draft.unmodelled],
    objects: [...draft.objects].sort(),
    elsewhere: [...draft.elsewhere],
  };
}

function doubt({ doubts }: Draft, what: string, remedy: string | undefined): void {
  doubts.set(what, { what, ...(remedy === undefined ? {} : { remedy }) });
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
    draft.causes ? provenanceFor(draft, party) : undefined,
  );
  for (const what of verdict.unmodelled) draft.unmodelled.add(what);
  for (const { object } of steps.flatMap(({ causes }) => causes)) {
    if (object !== undefined) draft.objects.add(object);
  }
  const proxy = idOf(party);
  const lag = laggingTypes(party);
  if (lag !== "") {
    doubt(draft, `${proxy} ${lag}: it may use older ones`, "See meshctl proxy-status.");
  }
  const { ip, port } = call.destination;
  draft.hops.push({ proxy, direction: call.direction, destination: hostPort(ip, port), steps });
  const endsTls = verdict.steps.some(({ stage }) => stage === "TLS");
  return verdict.endings.map((ending) => ({
    ending,
    endsTls,
    outcome: outcomeOf(ending, proxy, steps),
  }));
}

function servedTo({ contentOf, world }: Draft, party: Party): Resources {
  return resourcesOf((typeUrl) => {
    const view = party.view(typeUrl);
    return view && contentOf(view);
  }, world.decode);
}

function provenanceFor({ world, objects }: Draft, party: Party): ProvenanceOf {
  const { mesh, objectOf } = world;
  const known = new Map<string, Provenance | undefined>();
  const one = (type: string, name: string, part?: string): Provenance | undefined => {
    const key = JSON.stringify([type, name, part]);
    if (known.has(key)) return known.get(key);
    const view = party.view(type);
    const parts = part === undefined ? {} : { parts: new Set([part]) };
    const found = view && explainResource({ mesh, view, type, name, ...parts, objectOf });
    known.set(key, found);
    // A route table has the objects of all services; those of the passed routes are causes of steps.
    if (type !== TYPE_URLS.route && type !== TYPE_URLS.virtualHost) {
      for (const object of found?.objects ?? []) objects.add(refOf(object));
    }
    return found;
  };
  return (type, name, virtualHost) => {
    if (virtualHost === undefined) return [one(type, name)].filter((found) => found !== undefined);
    const apart = inTable(virtualHost, one(TYPE_URLS.virtualHost, virtualHost));
    return [one(type, name, virtualHost), apart].filter((found) => found !== undefined);
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

/** Follows a forwarded call into the sidecars of its endpoints. */
function onward(
  draft: Draft,
  from: Party,
  { call, unresolved }: FirstCall,
  { ending, outcome }: Ended,
): Outcome[] {
  if (ending.kind !== "forwarded") return [outcome];
  if (unresolved !== undefined && ending.upstream.discovery === "ORIGINAL_DST") {
    return [notKnown(outcome, unresolved, {
      remedy: "Write the name of a service in --to, or the address, with the name as host header.",
    })];
  }
  const { ip, port } = call.destination;
  if (ending.upstream.discovery === "ORIGINAL_DST" && isServiceAddress(draft.world, ip)) {
    return [notKnown(
      outcome,
      `the call goes on to ${ip}:${port}, the address of a service: the ` +
        "network decides what is there",
      {
        remedy: "Send what the protocol of the port says, or declare the protocol that is sent.",
      },
    )];
  }
  return branchesOf(draft.world, draft.byAddress, ending).flatMap((branch) => {
    for (const address of branch.elsewhere) draft.elsewhere.add(address);
    const whole = { ...outcome, share: outcome.share * branch.share };
    return followed(draft, from, call, { ending, branch, outcome: whole });
  });
}

/** Reports if an address is that of a service, and not of a workload. */
function isServiceAddress({ mesh, services }: World, ip: string): boolean {
  return services.some((service) =>
    service.addresses.includes(ip) &&
    !mesh.graph.peek(mesh.services.endpoints, service).some(({ address }) => address === ip)
  );
}

/** A branch of a forwarded call. */
interface Branching {
  readonly ending: Forwarded;
  readonly branch: Branch;
  readonly outcome: Outcome;
}

function followed(draft: Draft, from: Party, call: Call, branching: Branching): Outcome[] {
  const { ending, branch: { next, targets }, outcome } = branching;
  const [target] = targets;
  if (target === undefined) return [outcome];
  if (next.kind === "none") {
    draft.assumptions.add("endpoints without a sidecar accept every request");
    return [outcome];
  }
  if (next.kind === "away") {
    const more = targets.length === 1 ? "" : ` and ${targets.length - 1} more`;
    return [notKnown(outcome, `the sidecar of ${target.address}${more} is not connected here`, {
      remedy:
        "Ask all daemons: meshctl explain request without --daemon, or one --daemon for each.",
    })];
  }
  if (++draft.followed > FOLLOWED) {
    return [notKnown(outcome, `only ${FOLLOWED} kinds of endpoints are followed`, {})];
  }
  const { party, ip, port } = next;
  const inbound = nextCall(draft, from, call, { ending, target });
  const endings = pass(draft, party, servedTo(draft, party), {
    ...inbound,
    destination: { ip, port },
  });
  return endings.map(({ ending: last, outcome: one, endsTls }) => {
    const passedOn = inMeshTls(target) && !endsTls && last.kind === "forwarded";
    const result = passedOn
      ? notEnded(draft, one)
      : isSealed(target) && !endsTls && last.kind === "forwarded"
      ? sealedAt(draft, { party, port, outcome: one })
      : one;
    return { ...result, share: one.share * outcome.share };
  });
}

function notKnown(
  { share, proxy }: Outcome,
  text: string,
  { remedy }: Pick<Outcome, "remedy">,
): Outcome {
  const known = { share, proxy, kind: "unknown", text } as const;
  return remedy === undefined ? known : { ...known, remedy };
}

/** True: the proxy speaks the mesh's mutual TLS to the endpoint, which no application ends. */
function inMeshTls({ handshake }: Target): boolean {
  return handshake?.alpn.includes(MESH_ALPN) === true;
}

/** True: the proxy speaks TLS to the endpoint that is not the mesh's. */
function isSealed(target: Target): boolean {
  return target.handshake !== undefined && !inMeshTls(target);
}

/** TLS of a client's proxy that the server's proxy passes on: the port's protocol says who ends it. */
function sealedAt(
  { world }: Draft,
  { party, port, outcome }: {
    readonly party: Party;
    readonly port: number;
    readonly outcome: Outcome;
  },
): Outcome {
  if (servesTls(world, party, port)) return outcome;
  return notKnown(outcome, `whether the application at port ${port} of ${idOf(party)} ends TLS`, {
    remedy: "Declare the protocol of its port as TLS or HTTPS, or send plain text to it.",
  });
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

function hostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
