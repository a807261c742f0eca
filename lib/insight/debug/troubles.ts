/**
 * Everything that is wrong now, with the time it began, the edits behind it and the proxies
 * concerned.
 *
 * @module
 */
import type { Culprit, Trouble } from "./trouble.ts";
import { cellText } from "./cell_text.ts";
import { objectPresence } from "./presence.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { parseRowRef, rowRef, showRow } from "../../mesh/graph/mod.ts";
import { type ConfigObject, objectKey, xdsType } from "../../mesh/model/mod.ts";
import type { Quarantined, SessionInfo, TypeStatus } from "../../mesh/xds/mod.ts";
import type { SourceProblem } from "../../mesh/sources/mod.ts";
import { credentialTroubles } from "./credential_troubles.ts";
import { fetchTroubles, lagTroubles } from "./fetch_troubles.ts";
import type { DebugInputs, Expiry } from "./inputs.ts";
import { endsSoon, expiriesOf } from "./mesh_map.ts";
import { proxyId } from "./proxies.ts";
import { countProxyTroubles, proxyTroubles } from "./proxy_states.ts";
import { servedVersion } from "./rejections.ts";

/** A response is expected within this time, in milliseconds. */
const SLOW_MS = 30_000;

/** Returns all troubles: rejections of proxies, documents, failed computations, slow proxies. */
export function troublesOf(inputs: DebugInputs): Trouble[] {
  return [
    ...proxyTroubles(inputs),
    ...credentialTroubles(inputs),
    ...fetchTroubles(inputs),
    ...lagTroubles(inputs),
    ...inputs.quarantined().map((one) => ofQuarantine(inputs, one)),
    ...ofRejections(inputs),
    ...ofProblems(inputs),
    ...ofOrchestrator(inputs),
    ...ofClusters(inputs),
    ...ofFaults(inputs),
    ...ofAudit(inputs),
    ...ofSlowProxies(inputs),
    ...ofCertificates(inputs),
  ];
}

/** Returns the number of troubles, without their edits and proxies. */
export function countTroubles(inputs: DebugInputs): number {
  const lists = [
    inputs.credentialFaults(),
    fetchTroubles(inputs),
    lagTroubles(inputs),
    inputs.quarantined(),
    inputs.problems(),
    inputs.mesh.graph.faults(),
    inputs.audit().reports,
    ofOrchestrator(inputs),
    ofClusters(inputs),
    unexplained(inputs),
    slow(inputs),
    ending(inputs),
  ];
  return lists.reduce((sum, { length }) => sum + length, countProxyTroubles(inputs));
}

function ofQuarantine(inputs: DebugInputs, one: Quarantined): Trouble {
  const held = one.streams.map((id) => streamProxy(inputs, id));
  const served = one.lastGood === undefined
    ? "they are served nothing instead"
    : "they are served the last accepted version";
  const resource = `the ${xdsType(one.typeUrl).short} resource ${one.name}`;
  const contradicted = contradiction(one);
  return {
    tone: contradicted === undefined ? "bad" : "warn",
    text: contradicted === undefined
      ? `Proxies reject ${resource}; ${served}`
      : `${contradicted}: ${resource}`,
    message: one.message,
    since: one.since,
    culprits: one.culprits.map(({ object, generation }) => culprit(inputs, object, generation)),
    proxies: unique(held),
    page: "/debug/quarantine",
  };
}

/** Names the clients that reject what others accept; `undefined` if none are contradicted. */
export function contradiction({ outvoted, acceptedBy }: Quarantined): string | undefined {
  const [first, ...rest] = outvoted;
  if (first === undefined) return undefined;
  const others = rest.length === 0 ? "" : ` and ${rest.length} more`;
  return `${first}${others} rejects what ${acceptedBy.length} other clients accept`;
}

/** Returns the proxy of a connection; its id if it has ended. */
export function streamProxy({ sessions }: Pick<DebugInputs, "sessions">, id: string): string {
  const session = sessions().find(({ connectionId }) => connectionId === id);
  return session === undefined ? id : proxyId(session);
}

function culprit({ receipts }: DebugInputs, object: string, generation?: number): Culprit {
  const [kind = "", namespace = "", name = ""] = object.split("/");
  const receipt = receipts.of(kind, namespace, name).find((one) => one.generation === generation);
  return { object, generation, publishedAt: receipt?.publishedAt };
}

type Found = readonly [session: SessionInfo, type: TypeStatus];

/** Rejected types of streams for which nothing is quarantined. */
function unexplained({ sessions, quarantined }: DebugInputs): Found[] {
  const known = new Set(
    quarantined().flatMap(({ typeUrl, streams }) => streams.map((id) => `${typeUrl} ${id}`)),
  );
  return sessions().flatMap((session) =>
    session.types.filter(({ nack, typeUrl }) =>
      nack !== undefined && !known.has(`${typeUrl} ${session.connectionId}`)
    ).map((type) => [session, type] as const)
  );
}

function ofRejections(inputs: DebugInputs): Trouble[] {
  return unexplained(inputs).map(([session, { short, nack }]) => ({
    tone: "bad",
    text: `A proxy rejected a response of type ${short}`,
    message: nack!.message,
    since: nack!.time,
    culprits: [],
    proxies: [proxyId(session)],
    page: "/debug/proxies?state=error",
  }));
}

function ofProblems({ problems, objects }: DebugInputs): Trouble[] {
  const rejected = problems();
  const inUse = rejected.length === 0 ? [] : objects();
  return rejected.map((problem) => ofProblem(inUse, problem));
}

function ofProblem(objects: readonly ConfigObject[], problem: SourceProblem): Trouble {
  const { object, message, remedy, since, path } = problem;
  const name = object === undefined
    ? "A document"
    : `The document of ${showRow({ table: object.kind, key: objectKey(object) })}`;
  const served = servedVersion(objects, problem);
  const version = served === undefined
    ? problem.lastGoodServes ? "the last good version serves" : "it has no effect"
    : `generation ${served.meta.generation} serves`;
  return {
    tone: "bad",
    text: `${name} is rejected; ${version}`,
    message: path === "" ? message : `${path}: ${message}`,
    remedy,
    since,
    position: problem,
    culprits: served === undefined
      ? []
      : [{ object: rowRef({ table: served.meta.kind, key: objectKey(served.meta) }) }],
    proxies: [],
    page: "/debug/faults#documents",
  };
}

function ofFaults(inputs: DebugInputs): Trouble[] {
  const { mesh, history } = inputs;
  const faults = mesh.graph.faults();
  if (faults.length === 0) return [];
  const isPresent = objectPresence(inputs);
  return faults.map((fault) => ({
    tone: "bad",
    text: `The computation ${cellText(fault)} fails; ${
      fault.lastGood ? "its last good value serves" : "it has no value"
    }`,
    message: messageOf(fault.error),
    since: history.revision(fault.since)?.at,
    culprits: fault.inputs.filter((row) => parseRowRef(row) !== undefined && isPresent(row))
      .slice(0, INPUTS).map((object) => ({ object })),
    revision: history.revision(fault.since)?.revision,
    page: "/debug/faults",
  }));
}

/** Maximum number of named rows of a failed computation. */
const INPUTS = 5;

/** One trouble for the server, with the reason of one of its resource types. */
function ofOrchestrator({ orchestrator }: DebugInputs): Trouble[] {
  const faulty = orchestrator?.().find(({ fault }) => fault !== undefined);
  if (faulty?.fault === undefined) return [];
  return [{
    tone: "warn",
    text: "The orchestrator cannot be followed, and its last configuration stays in use",
    message: `${faulty.resource}: ${faulty.fault}`,
    remedy: "Check that the API server runs, and that the daemon's credentials are valid.",
    since: faulty.faultSince,
    culprits: [],
    page: "/debug/clusterz",
  }];
}

function ofClusters({ clusters }: DebugInputs): Trouble[] {
  return (clusters?.() ?? []).flatMap(({ cluster, secret, state, fault, resources }) => {
    if (fault === undefined && state !== "timeout") return [];
    const effect = state === "synced"
      ? "its last services stay in use"
      : "its services are missing";
    return [{
      tone: "warn",
      text: `The remote cluster ${cluster} cannot be followed, and ${effect}`,
      ...(fault === undefined ? {} : { message: fault }),
      remedy: `Check that its API server runs, and the credentials in the secret ${secret}.`,
      since: resources.find((one) => one.faultSince !== undefined)?.faultSince,
      culprits: [],
      page: "/debug/clusterz",
    }];
  });
}

function ofAudit({ audit, history }: DebugInputs): Trouble[] {
  return audit().reports.map(({ cell, at, revision, origins }) => ({
    tone: "warn",
    text: `The audit repaired the value ${cellText(cell)}`,
    since: at,
    culprits: origins.slice(0, INPUTS).map((object) => ({ object })),
    revision: history.revision(revision)?.revision,
    page: "/debug/audit",
  }));
}

function slow({ sessions, now }: DebugInputs): Found[] {
  const before = now() - SLOW_MS;
  return sessions().flatMap((session) => {
    const late = session.types.find(({ state, sent }) =>
      state === "STALE" && sent !== undefined && sent.time < before
    );
    return late === undefined ? [] : [[session, late] as const];
  });
}

function ofSlowProxies(inputs: DebugInputs): Trouble[] {
  return slow(inputs).map(([session, { short, sent }]) => ({
    tone: "warn",
    text: `A proxy has not answered a response of type ${short}`,
    remedy: "If it does not answer soon, look at its log and at its CPU.",
    since: sent!.time,
    culprits: [],
    revision: inputs.history.revision(sent!.revision)?.revision,
    proxies: [proxyId(session)],
    page: "/debug/proxies?state=behind",
  }));
}

function ending(inputs: DebugInputs): Expiry[] {
  return expiriesOf(inputs).filter((one) => endsSoon(one, inputs.now()));
}

function ofCertificates(inputs: DebugInputs): Trouble[] {
  return ending(inputs).map(({ name, notAfter }) => ({
    tone: notAfter !== undefined && notAfter > inputs.now() ? "warn" : "bad",
    text: notAfter === undefined
      ? `The ${name} cannot be read`
      : `The ${name} ${notAfter > inputs.now() ? "ends" : "has ended"} at ${
        new Date(notAfter).toISOString()
      }`,
    remedy: "Replace it.",
    since: notAfter !== undefined && notAfter <= inputs.now() ? notAfter : undefined,
    culprits: [],
    page: "/debug/services#certificates",
  }));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
