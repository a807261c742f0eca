/**
 * Source of Gateways and VirtualServices that Ingress objects stand for.
 *
 * @module
 */
import type { Intake } from "../../../ingest/mod.ts";
import { scope } from "../../../log/mod.ts";
import { rowRef } from "../../../graph/mod.ts";
import { type ConfigObject, objectKey } from "../../../model/mod.ts";
import { follow, type ListItem, type OrchClient, trimmed, types } from "../../../orch/mod.ts";
import { checkObject, type ObjectIdentity } from "../../../schema/mod.ts";
import {
  INGRESS,
  type Ingress,
  INGRESS_CLASS,
  type IngressClass,
  type PortedService,
} from "./api.ts";
import { type IngressDocument, ingressDocuments, type IngressSettings } from "./translate.ts";

const log = scope("ingress status");

/** Settings of the source. */
export interface IngressOptions {
  readonly client: OrchClient;
  readonly intake: Intake;
  /** `meta.origin.source` of the objects. */
  readonly source: string;
  readonly settings: () => IngressSettings;
}

/** The source. */
export interface IngressSource {
  /** Resolves when all Ingress objects were received and reported, or the source was closed. */
  readonly synced: Promise<void>;
  objects(): ConfigObject[];
  /** Translates again, after the settings changed. */
  refresh(): void;
  close(): Promise<void>;
}

/** Follows Ingress objects, their classes, and the ports of Services. */
export function followIngresses(options: IngressOptions): IngressSource {
  const { client, intake, source, settings } = options;
  let used = new Map<string, ConfigObject>();
  let ready = false;
  const refresh = (): void => {
    if (!ready) return;
    const next = objectsOf(
      ingressDocuments({
        ingresses: ingresses.values(),
        classes: classes.values(),
        settings: settings(),
        portOf: (namespace, name, port) =>
          services.get({ namespace, name })?.spec?.ports?.find((one) => one.name === port)?.port,
      }),
      source,
    );
    const upserts = [...next].filter(([key, { digest }]) => used.get(key)?.digest !== digest);
    const deletes = [...used].filter(([key]) => !next.has(key));
    used = next;
    if (upserts.length + deletes.length === 0) return;
    intake.objects({
      upserts: upserts.map(([, object]) => object),
      deletes: deletes.map(([, { meta }]) => meta as ObjectIdentity),
    });
  };
  const shared = { client, optional: true, changed: refresh };
  const ingresses = follow<Ingress>({ ...shared, type: INGRESS, convert: kept });
  const classes = follow<IngressClass>({ ...shared, type: INGRESS_CLASS, convert: kept });
  const services = follow<PortedService>({ ...shared, type: types.SERVICE, convert: portsOf });
  const all = [ingresses, classes, services];
  return {
    synced: Promise.all(all.map(({ synced }) => synced)).then(() => {
      ready = true;
      refresh();
      intake.synced();
    }),
    objects: () => [...used.values()],
    refresh,
    close: async () => {
      await Promise.all(all.map((one) => one.close()));
    },
  };
}

/** An object without its status. */
function kept(item: ListItem): ListItem {
  const { status: _, ...rest } = trimmed(item) as ListItem & { readonly status?: unknown };
  return rest;
}

function portsOf({ metadata, spec }: PortedService): PortedService {
  const { name, namespace } = metadata;
  return { metadata: { name, namespace: namespace! }, spec: { ports: spec?.ports ?? [] } };
}

function objectsOf(
  documents: readonly IngressDocument[],
  source: string,
): Map<string, ConfigObject> {
  const objects = new Map<string, ConfigObject>();
  for (const document of documents) {
    const { kind } = document;
    const key = rowRef({ table: kind, key: objectKey(document.metadata) });
    const { object, problems } = checkObject(document);
    if (object === undefined) {
      const reasons = problems.map(({ path, message }) => `${path}: ${message}`);
      log.warn("an Ingress is rejected", { object: key, reasons });
      continue;
    }
    const { meta: { line: _, ...meta }, digest, spec } = object;
    objects.set(key, {
      meta: { ...meta, kind, generation: 1, origin: { source } },
      spec,
      digest,
    });
  }
  return objects;
}
