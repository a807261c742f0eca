/**
 * Source of Gateways and VirtualServices that Ingress objects stand for.
 *
 * @module
 */
import { canonicalJson } from "../../../../kit/base/mod.ts";
import type { Intake } from "../../../ingest/mod.ts";
import { scope } from "../../../../kit/log/mod.ts";
import { rowRef } from "../../../graph/mod.ts";
import { type ConfigObject, objectKey, type ObjectMeta } from "../../../model/mod.ts";
import {
  follow,
  type ListItem,
  type OrchClient,
  trimmed,
  types,
} from "../../../../kit/orch/mod.ts";
import { checkObject, type ObjectIdentity } from "../../../schema/mod.ts";
import {
  INGRESS,
  type Ingress,
  INGRESS_CLASS,
  type IngressClass,
  type PortedService,
} from "./api.ts";
import { createIngressDocuments, type IngressDocuments, type Translated } from "./documents.ts";
import type { IngressDocument, IngressSettings } from "./translate.ts";

const log = scope("ingress status");

/** Settings of the source. */
export interface IngressOptions {
  readonly client: OrchClient;
  readonly intake: Intake;
  /** `meta.origin.source` of the objects. */
  readonly source: string;
  readonly settings: () => IngressSettings;
}

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
  const { intake, source, settings } = options;
  const documents = createIngressDocuments();
  const used = createUsed(source, intake);
  let known = settings();
  let ready = false;
  const translate = (): void => {
    if (!ready) return;
    used.replace(documents.translate({
      classes: classes.values(),
      settings: known,
      portOf: (namespace, name, port) =>
        services.get({ namespace, name })?.spec?.ports?.find((one) => one.name === port)?.port,
    }));
  };
  const { ingresses, classes, services } = followAll(options, documents, translate);
  const all = [ingresses, classes, services];
  return {
    synced: Promise.all(all.map(({ synced }) => synced)).then(() => {
      ready = true;
      translate();
      intake.synced();
    }),
    objects: used.objects,
    refresh: () => {
      const next = settings();
      if (canonicalJson(next) === canonicalJson(known)) return;
      known = next;
      documents.changedSettings();
      translate();
    },
    close: async () => {
      await Promise.all(all.map((one) => one.close()));
    },
  };
}

/** Follows what is read, and marks what its changes concern. */
function followAll(
  { client }: IngressOptions,
  documents: IngressDocuments,
  marked: () => void,
) {
  const ingresses = follow<Ingress>({
    client,
    optional: true,
    type: INGRESS,
    convert: kept,
    contentOf: contentOfIngress,
    changed: ({ upserts, deletes }) => {
      for (const name of deletes) documents.remove(objectKey(name));
      for (const ingress of upserts) documents.set(ingress);
      marked();
    },
  });
  const classes = follow<IngressClass>({
    client,
    optional: true,
    type: INGRESS_CLASS,
    convert: kept,
    contentOf: ({ metadata: { name }, spec }) => ({ name, controller: spec?.controller }),
    changed: ({ upserts, deletes }) => {
      for (const { name } of deletes) documents.changedClass(name);
      for (const { metadata } of upserts) documents.changedClass(metadata.name);
      marked();
    },
  });
  const services = follow<PortedService>({
    client,
    optional: true,
    type: types.SERVICE,
    convert: portsOf,
    contentOf: (service) => service,
    changed: ({ upserts, deletes }) => {
      for (const name of deletes) documents.changedService(objectKey(name));
      for (const { metadata: { namespace = "", name } } of upserts) {
        documents.changedService(objectKey({ namespace, name }));
      }
      marked();
    },
  });
  return { ingresses, classes, services };
}

/** An object without its status. */
function kept(item: ListItem): ListItem {
  const { status: _, ...rest } = trimmed(item) as ListItem & { readonly status?: unknown };
  return rest;
}

/** The content that is translated of an Ingress: without its status, which the leader itself writes. */
function contentOfIngress({ metadata, spec }: Ingress): unknown {
  const { name, namespace, annotations, creationTimestamp } = metadata;
  return { name, namespace, annotations, creationTimestamp, spec };
}

function portsOf({ metadata, spec }: PortedService): PortedService {
  const { name, namespace } = metadata;
  const ports = (spec?.ports ?? []).map(({ name, port }) => ({ name, port }));
  return { metadata: { name, namespace: namespace! }, spec: { ports } } as PortedService;
}

/** The objects that were handed over. */
interface UsedObjects {
  /** Hands over what differs in translated documents. */
  replace(translated: Translated): void;
  objects(): ConfigObject[];
}

function createUsed(source: string, intake: Intake): UsedObjects {
  const used = new Map<string, ConfigObject>();
  /** The row of each document. */
  const rows = new Map<string, string>();
  return {
    objects: () => [...used.values()],
    replace(translated) {
      const upserts: ConfigObject[] = [];
      const deletes = new Map<string, ObjectIdentity>();
      const taken = new Set<string>();
      for (const [of, document] of translated) {
        const object = document && objectOf(document, source);
        const [before, row] = [rows.get(of), object && rowOf(object.meta)];
        if (before !== undefined && before !== row) {
          rows.delete(of);
          const gone = used.get(before);
          if (gone !== undefined) deletes.set(before, gone.meta as ObjectIdentity);
        }
        if (object === undefined || row === undefined) continue;
        rows.set(of, row);
        taken.add(row);
        if (used.get(row)?.digest !== object.digest) upserts.push(object);
      }
      for (const row of deletes.keys()) taken.has(row) ? deletes.delete(row) : used.delete(row);
      for (const object of upserts) used.set(rowOf(object.meta), object);
      if (upserts.length + deletes.size > 0) {
        intake.objects({ upserts, deletes: [...deletes.values()] });
      }
    },
  };
}

function rowOf({ kind, namespace, name }: Pick<ObjectMeta, "kind" | "namespace" | "name">): string {
  return rowRef({ table: kind, key: objectKey({ namespace, name }) });
}

function objectOf(document: IngressDocument, source: string): ConfigObject | undefined {
  const { kind } = document;
  const { object, problems } = checkObject(document);
  if (object === undefined) {
    const reasons = problems.map(({ path, message }) => `${path}: ${message}`);
    const key = rowRef({ table: kind, key: objectKey(document.metadata) });
    log.warn("an Ingress is rejected", { object: key, reasons });
    return undefined;
  }
  const { meta: { line: _, ...meta }, digest, spec } = object;
  return { meta: { ...meta, kind, generation: 1, origin: { source } }, spec, digest };
}
