/**
 * Manifests as a daemon in the cluster would read them, once their workloads run.
 *
 * @module
 */
import { type PlainDocument, plainDocument } from "../../analyze/mod.ts";
import { types } from "../../../kit/orch/mod.ts";
import { type ConfigObject, objectKey } from "../../../mesh/model/mod.ts";
import type { SeenDocument } from "../../../mesh/schema/mod.ts";
import { followObjects } from "../../../mesh/sources/mod.ts";
import { DOMAIN } from "../domain.ts";
import { manifestFault } from "./check.ts";
import { clientOver } from "./client.ts";
import { deployedBy } from "./gateways.ts";
import { podsOf } from "./pods.ts";
import { isService, servicesOf, slicesOf } from "./services.ts";

/** Options of reading. */
export interface ManifestOptions {
  /** Namespace of documents that name none; default `default`. */
  readonly namespace?: string | undefined;
  /** Objects of the mesh in the same files: Namespaces, Gateways. */
  readonly objects: readonly ConfigObject[];
  /** Called for a document that is left out. */
  readonly warn: (message: string) => void;
}

/**
 * The rows of the Services and workloads in documents, and of those that the controller of Gateways
 * deploys. Other documents have none. The origin of a row is the document.
 */
export async function manifestRows(
  seen: readonly SeenDocument[],
  { namespace, objects, warn }: ManifestOptions,
): Promise<ConfigObject[]> {
  const written = seen.flatMap((one) => plainDocument(one, namespace) ?? []);
  const documents = [...written.filter((one) => isSound(one, warn)), ...deployedBy(objects)];
  const namespaces = new Map(
    objects.flatMap(({ meta: { kind, name, labels } }) =>
      kind === "Namespace" ? [[name, labels] as const] : []
    ),
  );
  const pods = podsOf(documents, (name) => namespaces.get(name) ?? {});
  const services = servicesOf(documents.filter(isService));
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
    domain: DOMAIN,
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

function withOrigin(row: ConfigObject, document: PlainDocument | undefined): ConfigObject {
  if (document === undefined) return row;
  const { file, line } = document;
  return { ...row, meta: { ...row.meta, origin: { source: "file", file, line } } };
}
