/**
 * Manifests as a daemon in the cluster would read them, once their workloads run.
 *
 * @module
 */
import { type PlainDocument, plainDocument, podShapeOf } from "../../analyze/mod.ts";
import { types } from "../../../kit/orch/mod.ts";
import { type ConfigObject, objectKey } from "../../../mesh/model/mod.ts";
import type { SeenDocument } from "../../../mesh/schema/mod.ts";
import { followObjects } from "../../../mesh/sources/mod.ts";
import { manifestFault } from "./check.ts";
import { clientOver } from "./client.ts";
import { deployedBy } from "./gateways.ts";
import { podsOf } from "./pods.ts";
import { serviceOf, slicesOf } from "./services.ts";

/** Addresses of pods and of Services: the range of RFC 2544, which no network uses. */
const PODS = "198.18";
const SERVICES = "198.19";

/** Options of reading. */
export interface ManifestOptions {
  /** Namespace of documents that name none; default `default`. */
  readonly namespace?: string | undefined;
  /** Objects of the mesh in the same files: Namespaces, Gateways. */
  readonly objects: readonly ConfigObject[];
  readonly domain: string;
  /** Called for a document that is left out. */
  readonly warn: (message: string) => void;
}

/**
 * The rows of the Services and workloads in documents, and of those that the controller of Gateways
 * deploys. Other documents have none. The origin of a row is the document.
 */
export async function manifestRows(
  seen: readonly SeenDocument[],
  { namespace, objects, domain, warn }: ManifestOptions,
): Promise<ConfigObject[]> {
  const written = seen.flatMap((one) => plainDocument(one, namespace) ?? []);
  const documents = [...written.filter((one) => isSound(one, warn)), ...deployedBy(objects)];
  const namespaces = new Map(
    objects.flatMap(({ meta: { kind, name, labels } }) =>
      kind === "Namespace" ? [[name, labels] as const] : []
    ),
  );
  const pods = podsOf(
    documents,
    (name) => namespaces.get(name) ?? {},
    (at) => addressIn(PODS, at),
  );
  const services = documents.filter(isService)
    .map((document, at) => ({ document, service: serviceOf(document, addressIn(SERVICES, at)) }));
  const slices = services.flatMap(({ service }) => slicesOf(service, pods.map(({ pod }) => pod)));
  const owners = new Map<string, PlainDocument>();
  const numbered = <T extends { readonly metadata: object }>(item: T, of: PlainDocument): T => {
    const uid = `${owners.size}`;
    owners.set(uid, of);
    return { ...item, metadata: { ...item.metadata, uid } };
  };
  const rows = new Map<string, ConfigObject>();
  const source = followObjects({
    client: clientOver([
      [types.SERVICE, services.map(({ service, document }) => numbered(service, document))],
      [types.POD, pods.map(({ pod, document }) => numbered(pod, document))],
      [types.ENDPOINT_SLICE, slices],
    ]),
    source: "file",
    intake: {
      objects: ({ upserts }) => {
        for (const row of upserts) rows.set(`${row.meta.kind} ${objectKey(row.meta)}`, row);
      },
      settings: () => {},
      synced: () => {},
      expecting: () => {},
      health: () => {},
    },
    namespace: "",
    systemNamespace: "",
    domain,
    kinds: [],
  });
  await source.synced;
  await source.close();
  return [...rows.values()].map((row) => withOrigin(row, owners.get(row.meta.origin.uid ?? "")));
}

function isSound(document: PlainDocument, warn: ManifestOptions["warn"]): boolean {
  const fault = manifestFault(document);
  if (fault === undefined) return true;
  const { kind, file, line } = document;
  warn(`${file}:${line}: left out: ${kind}/${objectKey(document)}: ${fault}`);
  return false;
}

/** The Services and workloads among documents, as `Kind/namespace/name`. */
export function manifestNames(
  seen: readonly SeenDocument[],
  namespace: string | undefined,
): readonly string[] {
  return seen.flatMap((one) => plainDocument(one, namespace) ?? [])
    .filter((one) => isService(one) || podShapeOf(one) !== undefined)
    .map((one) => `${one.kind}/${objectKey(one)}`);
}

function isService({ kind, group }: PlainDocument): boolean {
  return kind === "Service" && group === "";
}

function addressIn(range: string, at: number): string {
  return `${range}.${at >> 8 & 255}.${at & 255}`;
}

function withOrigin(row: ConfigObject, document: PlainDocument | undefined): ConfigObject {
  if (document === undefined) return row;
  const { file, line } = document;
  return { ...row, meta: { ...row.meta, origin: { source: "file", file, line } } };
}
