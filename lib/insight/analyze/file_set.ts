/**
 * Analysis of a set of files: objects of the mesh, also rejected ones, and of the orchestrator.
 *
 * @module
 */
import type { ConfigObject } from "../../mesh/model/mod.ts";
import type { ParsedObject, SeenDocument } from "../../mesh/schema/mod.ts";
import {
  type MeshConfig,
  MeshConfig_IngressControllerMode,
} from "#mesh/mesh/v1alpha1/config_pb.ts";
import { analyzeDocuments } from "./document_messages.ts";
import { foreignCollector } from "./foreign.ts";
import type { Message } from "./message.ts";
import { analyzeObjects } from "./object_set.ts";
import { byText } from "./order.ts";
import { isPlainMap, type PlainDocument, plainDocument } from "./plain.ts";

/** The set, with the settings of its mesh. */
export interface FileSet {
  /** Objects that a daemon would use. */
  readonly objects: readonly ConfigObject[];
  /** All documents. */
  readonly seen: readonly SeenDocument[];
  /** Documents of other clusters of the mesh. Those of this cluster replace them. */
  readonly remotes?: readonly RemoteSet[];
  /** Name of this cluster in messages about several clusters. Default: `local`. */
  readonly cluster?: string;
  readonly mesh: MeshConfig;
  /** Namespace of objects that name none. */
  readonly namespace?: string;
  /** Namespace of the mesh's own workloads. */
  readonly meshNamespace: string;
  /** The mesh's DNS suffix. */
  readonly domain: string;
  /** True: the default ingress gateway exists, although no file describes it. */
  readonly assumeGateway: boolean;
  /** True: also the analyzers that run only on request. */
  readonly all?: boolean;
  /** Names of the analyzers to run; default: all. */
  readonly analyzers?: readonly string[];
  /** The fault of a certificate chain (PEM), such as its expiry; unset: certificates are not read. */
  readonly certificateFault?: (pem: string) => string | undefined;
  /** Milliseconds with fractions. */
  readonly now: () => number;
}

/** The documents of another cluster. */
export interface RemoteSet {
  readonly cluster: string;
  readonly seen: readonly SeenDocument[];
}

/** The messages about a set of files, sorted by object and code. */
export function analyzeFileSet(files: FileSet): readonly Message[] {
  const { objects, seen, mesh, namespace, meshNamespace, domain, analyzers, now } = files;
  const foreign = foreignCollector(domain, namespace);
  const plain = (list: readonly SeenDocument[]): PlainDocument[] =>
    list.flatMap((one) => plainDocument(one, namespace) ?? []);
  const { remotes = [], cluster = "local" } = files;
  for (const { value } of [...remotes.flatMap((one) => one.seen), ...seen]) {
    if (isPlainMap(value)) foreign.add(value);
  }
  const apart = [
    { name: cluster, documents: plain(seen) },
    ...remotes.map((one) => ({ name: one.cluster, documents: plain(one.seen) })),
  ];
  const own = apart.toReversed().flatMap(({ documents }) => documents);
  const gateway = files.assumeGateway ? defaultGateway(own, meshNamespace, mesh) : [];
  const drafts = seen.flatMap(({ draft, file }) =>
    draft === undefined ? [] : [objectOfDraft(draft, file)]
  );
  const isComplete = foreign.facts().workloads.length > 0 ||
    objects.some(({ meta }) => meta.kind === "WorkloadEntry");
  for (const { value } of gateway) foreign.add(value);
  const imageType = mesh.defaultConfig?.image?.imageType ?? "";
  const messages = [
    ...analyzeObjects([...drafts, ...objects], foreign.facts(), {
      domain,
      analyzers,
      now,
      mesh,
      complete: isComplete,
      gateways: gateway.length > 0,
      services: own.some(({ kind }) => kind === "Service" || kind === "ServiceEntry"),
    }),
    ...analyzeDocuments([...gateway, ...own], {
      meshNamespace,
      domain,
      imageType,
      certificateFault: files.certificateFault,
      clusters: apart.length > 1 ? apart : [],
      all: files.all ?? false,
      analyzers,
    }),
  ];
  return withoutStated(messages).sort(byText).filter(onceEach());
}

/** The messages without those about conditions that the status of the object has already (MSH0171). */
function withoutStated(messages: readonly Message[]): Message[] {
  const refOf = ({ object }: Message): string => {
    if (object === undefined) return "";
    const kind = object.kind === "KubernetesGateway" ? "Gateway" : object.kind;
    return JSON.stringify([kind, object.namespace, object.name]);
  };
  const stated = new Set(messages.filter(({ code }) => code === "MSH0171").map(refOf));
  return messages.filter((one) => one.code !== "MSH1008" || !stated.has(refOf(one)));
}

/** True for the first message with its code, object, place and text: several analyzers may give it. */
function onceEach(): (message: Message) => boolean {
  const seen = new Set<string>();
  return ({ code, object, file, line, message }) => {
    const id = JSON.stringify([code, object, file, line, message]);
    return !seen.has(id) && seen.add(id) !== undefined;
  };
}

function objectOfDraft({ kind, meta, spec, digest }: ParsedObject, file: string): ConfigObject {
  const { line, ...rest } = meta;
  return {
    meta: {
      kind,
      namespace: rest.namespace,
      name: rest.name,
      labels: rest.labels,
      annotations: rest.annotations,
      generation: 1,
      creationTime: rest.creationTime ?? 0,
      origin: { source: "file", file, line },
    },
    spec,
    digest,
  };
}

/** Labels of the default ingress gateway (G12 of the interface). */
const GATEWAY_LABELS = { app: "mesh-ingressgateway", mesh: "ingressgateway" };
/** Ports of its Service: readiness, HTTP, HTTPS, TCP, and TLS of other clusters. */
const GATEWAY_PORTS = { "status-port": 15_021, http2: 80, https: 443, tcp: 31_400, tls: 15_443 };

/** The pod and Service of the default ingress gateway, unless the set describes such a gateway. */
function defaultGateway(
  own: readonly PlainDocument[],
  namespace: string,
  { ingressControllerMode, ingressService }: MeshConfig,
): PlainDocument[] {
  if (ingressControllerMode === MeshConfig_IngressControllerMode.OFF) return [];
  const name = ingressService || GATEWAY_LABELS.app;
  if (own.some((one) => one.kind === "Service" && one.name === name)) return [];
  const of = (kind: string, spec: object): SeenDocument => ({
    value: {
      apiVersion: "v1",
      kind,
      metadata: { name, namespace, labels: GATEWAY_LABELS },
      spec,
    },
    file: "",
    line: 1,
  });
  const ports = Object.entries(GATEWAY_PORTS)
    .map(([portName, port]) => ({ name: portName, port, targetPort: port, protocol: "TCP" }));
  const pod = { containers: [], serviceAccountName: `${name}-service-account` };
  return [of("Pod", pod), of("Service", { selector: GATEWAY_LABELS, ports })]
    .flatMap((one) => plainDocument(one) ?? []);
}
