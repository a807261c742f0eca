/**
 * Explains a request from proxy to proxy.
 *
 * @module
 */
import type { View } from "../../mesh/graph/mod.ts";
import { ENCAP } from "../../mesh/envoy/mod.ts";
import {
  type Call,
  type Ending,
  type Forwarded,
  type Resources,
  resourcesOf,
  type Shelf,
  type Target,
} from "../simulate/mod.ts";
import {
  alike,
  beyondGateway,
  forAll,
  hostPort,
  inNetwork,
  kindOf,
  knowledgeOf,
  leave,
  type Origin,
  type Travel,
} from "./ambient/mod.ts";
import { type CallContext, contentOf, type FirstCall, firstCall, nextCall } from "./calls.ts";
import { inMeshTls, isSealed, notEnded, notKnown, sealedAt } from "./content_tls.ts";
import { type Branch, branchesOf, isWithin, laggingTypes } from "./onward.ts";
import { addressOf } from "./targets.ts";
import type { Doubt, Explanation, Outcome } from "../verdict/mod.ts";
import { mergeOutcomes, outcomeOf } from "./outcome.ts";
import type { Question } from "./question.ts";
import { provenanceFor } from "./provenance.ts";
import { explainCall } from "./steps.ts";
import { capturedSender, isCaptured, through } from "./through.ts";
import { idOf, networkOf, partiesByAddress, type Party, type World } from "./world.ts";

/** Branches of one proxy that are followed to the next proxy. */
const FOLLOWED = 64;

/** An explanation under construction. */
interface Draft extends CallContext, Omit<Travel, "enter"> {
  readonly causes: boolean;
  readonly contentOf: (view: View) => Shelf | undefined;
  readonly doubts: Map<string, Doubt>;
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
 * Explains a request that starts at a proxy: at its workload, or as a client of a gateway; or at a workload
 * without a proxy beside it.
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
  from: Party | Origin,
  question: Question,
  { causes = true, contentOf = (view) => view }: ExplainOptions = {},
): Explanation {
  const knowledge = knowledgeOf(world, contentOf);
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
    knowledge,
    known: knowledge.in(""),
  };
  const outcomes = mergeOutcomes(
    "node" in from ? fromProxy(draft, from, question) : fromOrigin(draft, from, question),
  );
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

function fromProxy(draft: Draft, from: Party, question: Question): Outcome[] {
  if (from.asksOnDemand === true) {
    const name = idOf(from);
    draft.assumptions.add(
      `${name} asks for hosts and clusters on demand, and is answered: it may not know them yet`,
    );
  }
  const resources = servedTo(draft, from);
  const first = firstCall(draft, from, question, resources);
  if (isWithin(draft.world, from, first.call)) {
    const at = hostPort(first.call.destination.ip, first.call.destination.port);
    const text = `${kindOf({ content: first.call })} to ${at}, its own address, past its proxy`;
    return [{ share: 1, kind: "reached", proxy: idOf(from), text, endpoints: [at] }];
  }
  const endings = pass(draft, from, resources, first.call);
  return endings.flatMap((one) => onward(draft, from, first, one));
}

function fromOrigin(draft: Draft, from: Origin, question: Question): Outcome[] {
  const { host, port } = question;
  return leave(travelOf(draft), from, { host, port, content: contentOf(draft, question) });
}

/** The way through node proxies and tunnels, which leads to proxies again; `from`: in the network of a proxy. */
function travelOf(draft: Draft, from?: Party): Travel & CallContext {
  const enter: Travel["enter"] = (party, call) => entered(draft, party, call);
  return inNetwork({ ...draft, enter }, from === undefined ? "" : networkOf(from));
}

/** A call at a proxy that it reached through a tunnel or a node proxy. */
function entered(draft: Draft, party: Party, call: Call): Outcome[] {
  const endings = pass(draft, party, servedTo(draft, party), call);
  if (call.tunnel?.authority !== undefined) {
    const {
      tunnel: { authority, ...client },
      direction: _d,
      destination: _t,
      source: _s,
      ...content
    } = call;
    return endings.flatMap(({ ending, outcome }) =>
      ending.kind !== "forwarded" ? [outcome] : beyondGateway(travelOf(draft, party), {
        ...{ party, ending, authority, client, content },
        servedTo: (one) => servedTo(draft, one),
      })
    );
  }
  return party.node.role === "waypoint"
    ? endings.flatMap((one) => onward(draft, party, { call }, one))
    : endings.map(({ outcome }) => outcome);
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
  const authority = call.tunnel?.authority;
  const direction = authority !== undefined
    ? "between networks"
    : party.node.role === "waypoint"
    ? "waypoint"
    : call.direction;
  draft.hops.push({ proxy, direction, destination: authority ?? hostPort(ip, port), steps });
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
  if (ending.cluster === ENCAP) {
    return through(travelOf(draft, from), from, call, {
      ending,
      to: call.destination,
      tunnelled: true,
    })
      .map((one) => ({ ...one, share: one.share * outcome.share }));
  }
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
  if (++draft.followed > FOLLOWED) {
    return [notKnown(outcome, `only ${FOLLOWED} kinds of endpoints are followed`, {})];
  }
  const tunnelled = target.tunnel !== undefined;
  const travel = travelOf(draft, from);
  if (
    tunnelled || capturedSender(travel, from) !== undefined || isCaptured(travel, next, targets)
  ) {
    const weightOf = (some: readonly Target[]) =>
      some.reduce((sum, one) => sum + (one.weight || 1), 0);
    return alike(travel, targets, addressOf).flatMap((group) => {
      const [one] = group;
      const to = addressOf(one);
      const there = through(travel, from, call, { ending, target: one, to, tunnelled });
      return forAll(group, weightOf(group) / weightOf(targets), there);
    }).map((one) => ({ ...one, share: one.share * outcome.share }));
  }
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
