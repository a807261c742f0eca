/**
 * Objects that do not do in ambient mode what is written.
 *
 * @module
 */
import { BEYOND_NODE_PROXIES, isEnforcedCondition } from "../../../mesh/ambient/mod.ts";
import { objectKey, saysTunnels, TLS_MODE_LABEL } from "../../../mesh/model/mod.ts";
import type { DocumentAnalyzer, DocumentFinding, DocumentSet } from "../document_set.ts";
import { listAt, mapAt, type PlainDocument, valueAt } from "../plain.ts";
import { hasBothModes, isAmbient } from "./mesh_objects.ts";
import { unknownClients } from "./waypoint_matches.ts";

const USE_WAYPOINT = "mesh.io/use-waypoint";
const GATEWAY_API = "gateway.networking.k8s.io";

/** Names of waypoints, modes of namespaces and pods, and policies, each against the rest of the set. */
export const AMBIENT_MODE: DocumentAnalyzer = {
  name: "ambient.ModeAnalyzer",
  kinds: [
    "Namespace",
    "Service",
    "ServiceEntry",
    "WorkloadEntry",
    "AuthorizationPolicy",
    "Pod",
    "RequestAuthentication",
    "Telemetry",
    "WasmPlugin",
    "DataproxyFilter",
    "VirtualService",
  ],
  codes: ["MSH0101", "MSH1009"],
  *analyze(set) {
    yield* missingWaypoints(set);
    yield* bothWays(set);
    yield* hostPods(set);
    yield* policies(set);
    yield* targets(set);
    yield* entries(set);
    yield* unknownClients(set);
  },
};

/** Waypoints that are named and not in a set that has Gateways. */
function* missingWaypoints(set: DocumentSet): Iterable<DocumentFinding> {
  const gateways = set.of("Gateway", GATEWAY_API);
  if (gateways.length === 0) return;
  const known = new Set(gateways.map(objectKey));
  for (const kind of ["Namespace", "Service", "ServiceEntry", "WorkloadEntry", "Pod"]) {
    for (const on of set.of(kind)) {
      const name = on.labels[USE_WAYPOINT] ?? "";
      if (name === "" || name === "none") continue;
      const own = kind === "Namespace" ? on.name : on.namespace;
      const namespace = on.labels["mesh.io/use-waypoint-namespace"] || own;
      const waypoint = objectKey({ namespace, name });
      if (known.has(waypoint)) continue;
      yield {
        on,
        code: "MSH0101",
        args: ["waypoint", waypoint],
        path: `metadata.labels["${USE_WAYPOINT}"]`,
      };
    }
  }
}

/** Namespaces for sidecars and the node proxy at once: injection wins. */
function* bothWays(set: DocumentSet): Iterable<DocumentFinding> {
  for (const on of set.of("Namespace", "")) {
    if (!hasBothModes(on)) continue;
    yield notDone(
      on,
      "the namespace has labels for sidecars and for ambient mode; pods get sidecars",
      'metadata.labels["mesh.io/dataplane-mode"]',
    );
  }
}

/** Pods in the network of their node, which the node proxy leaves alone. */
function* hostPods(set: DocumentSet): Iterable<DocumentFinding> {
  for (const { document, labels, spec } of set.pods()) {
    const isAsked = labels["mesh.io/dataplane-mode"] === "ambient";
    if (!isAsked || valueAt(spec, "hostNetwork") !== true) continue;
    const reason = "a pod in the network of its node is not in ambient mode";
    yield notDone(document, reason, "spec.hostNetwork");
  }
}

/** Policies for node proxies that these do not enforce as written. */
function* policies(set: DocumentSet): Iterable<DocumentFinding> {
  for (const on of set.of("AuthorizationPolicy")) {
    const { namespace, value } = on;
    const spec = mapAt(value, "spec");
    const isTargeted = spec.targetRef !== undefined || listAt(spec, "targetRefs").length > 0;
    if (isTargeted || !isAmbient(set, namespace)) continue;
    for (const [index, rule] of listAt(spec, "rules").entries()) {
      const fields = unenforced(rule);
      if (fields.length === 0) continue;
      const reason = `node proxies do not enforce ${fields.join(", ")}; ` +
        "name a service with a waypoint in targetRefs";
      yield notDone(on, reason, `spec.rules[${index}]`);
    }
  }
}

/** The fields and conditions of a rule that node proxies do not enforce. */
function unenforced(rule: unknown): string[] {
  const operations = listAt(rule, "to").map((one) => mapAt(one, "operation"));
  const sources = listAt(rule, "from").map((one) => mapAt(one, "source"));
  const keys = listAt(rule, "when").map((one) => `${valueAt(one, "key")}`);
  const { operation, source } = BEYOND_NODE_PROXIES;
  return [
    ...operation.filter((field) => operations.some((one) => one[field] !== undefined)),
    ...source.filter((field) => sources.some((one) => one[field] !== undefined)),
    ...new Set(keys.filter((key) => !isEnforcedCondition(key)).map((key) => `when ${key}`)),
  ];
}

/** Kinds that waypoints apply to services. */
const ATTACHED = [
  "AuthorizationPolicy",
  "RequestAuthentication",
  "Telemetry",
  "WasmPlugin",
  "DataproxyFilter",
] as const;

/** Services in `targetRefs` that have no waypoint, so that nothing applies the object to them. */
function* targets(set: DocumentSet): Iterable<DocumentFinding> {
  for (const kind of ATTACHED) {
    for (const on of set.of(kind)) {
      const spec = mapAt(on.value, "spec");
      const refs: [path: string, ref: unknown][] = [
        ...spec.targetRef === undefined
          ? []
          : [["spec.targetRef", spec.targetRef] as [string, unknown]],
        ...listAt(spec, "targetRefs").map((ref, at): [string, unknown] => [
          `spec.targetRefs[${at}]`,
          ref,
        ]),
      ];
      for (const [path, ref] of refs) {
        const target = `${valueAt(ref, "kind")}`;
        const name = `${valueAt(ref, "name")}`;
        if (!lacksWaypoint(set, { kind: target, namespace: on.namespace, name })) continue;
        const reason =
          `${target} ${on.namespace}/${name} has no waypoint, so nothing applies this ` +
          "to it";
        yield notDone(on, reason, path);
      }
    }
  }
}

/** Reports if a service certainly has no waypoint: the labels of it and of its namespace are known. */
function lacksWaypoint(
  set: DocumentSet,
  { kind, namespace, name }: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  },
): boolean {
  if (kind !== "Service" && kind !== "ServiceEntry") return false;
  const service = set.of(kind).find((one) => one.namespace === namespace && one.name === name);
  if (service === undefined) return false;
  const own = service.labels[USE_WAYPOINT] ?? "";
  if (own !== "") return own === "none";
  const around = set.of("Namespace", "").find((one) => one.name === namespace);
  return around !== undefined && ["", "none"].includes(around.labels[USE_WAYPOINT] ?? "");
}

/** WorkloadEntries that take tunnels and count as taking mutual TLS, which no node proxy does. */
function* entries(set: DocumentSet): Iterable<DocumentFinding> {
  for (const on of set.of("WorkloadEntry")) {
    const spec = mapAt(on.value, "spec");
    const labels = { ...mapAt(spec, "labels"), ...on.labels };
    const account = valueAt(spec, "serviceAccount") ?? "";
    if (!saysTunnels(labels) || account === "" || labels[TLS_MODE_LABEL] !== undefined) continue;
    const reason = "sidecars send mutual TLS to a workload with a service account, and not " +
      "tunnels; label it security.mesh.io/tlsMode: disabled if a node proxy is beside it, mesh if a sidecar is";
    yield notDone(on, reason, "spec.serviceAccount");
  }
}

function notDone(on: PlainDocument, reason: string, path: string): DocumentFinding {
  return { on, code: "MSH1009", args: [reason], path };
}
