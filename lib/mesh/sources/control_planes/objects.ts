/**
 * Configuration objects as another control plane sends them.
 *
 * @module
 */
import { ResourceSchema } from "#mesh/mcp/v1alpha1/resource_pb.ts";
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { type ConfigObject, objectUrl } from "../../model/mod.ts";
import { type Any, fromBinary, timestampMs, toJson, typeUrl } from "../../../kit/proto/mod.ts";
import {
  checkObject,
  type Kind,
  type SchemaProblem,
  TABLED_KINDS,
  writtenKind,
} from "../../schema/mod.ts";
import { fileProblem } from "../files/read_documents.ts";

/** Kinds by the type URL that they are requested by: the first version of each. */
export const KINDS_BY_URL: ReadonlyMap<string, Kind> = new Map(
  (Object.values(TABLED_KINDS) as Kind[]).map((kind) => [
    objectUrl({ group: kind.group, version: kind.versions[0]!, kind: writtenKind(kind) }),
    kind,
  ]),
);

/** The result of reading one resource. */
export interface ReadResource {
  /** `namespace/name`; empty if it cannot be read. */
  readonly key: string;
  /** Unset if the resource is rejected. */
  readonly object?: ConfigObject;
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly SchemaProblem[];
}

/**
 * Reads a resource. Its object is checked as one of a file is.
 *
 * @param source `meta.origin.source` of the object
 */
export function readResource(kind: Kind, resource: Any, source: string): ReadResource {
  let key = "";
  try {
    const { metadata, body } = fromBinary(ResourceSchema, valueOf(resource));
    key = metadata?.name ?? "";
    const slash = key.indexOf("/");
    if (slash < 0) throw invalid(`its name ${JSON.stringify(key)} is not namespace/name`);
    const document = {
      apiVersion: kind.group === "" ? kind.versions[0] : `${kind.group}/${kind.versions[0]}`,
      kind: writtenKind(kind),
      metadata: {
        ...(kind.scope === "cluster" ? {} : { namespace: key.slice(0, slash) }),
        name: key.slice(slash + 1),
        labels: metadata?.labels ?? {},
        annotations: metadata?.annotations ?? {},
      },
      spec: kind.metadataOnly ? {} : specOf(kind, body),
    };
    const created = metadata?.createTime === undefined ? 0 : timestampMs(metadata.createTime);
    return checked({ key, document, created, source });
  } catch (error) {
    const message = `${kind.kind} ${key || "without a name"}: ${messageOf(error)}`;
    const remedy = "Look at the control plane that sends it.";
    const problem = fileProblem(source, "resource-malformed", message, remedy);
    return { key, problems: [problem], warnings: [] };
  }
}

/** A document that a resource was read as. */
interface Document {
  readonly key: string;
  readonly document: unknown;
  readonly created: number;
  readonly source: string;
}

function checked({ key, document, created, source }: Document): ReadResource {
  const { object, identity, problems, warnings } = checkObject(document);
  const positioned = (found: typeof problems): SchemaProblem[] =>
    found.map((one) => ({ ...one, file: source, line: 1, column: 1, object: identity }));
  if (object === undefined) return { key, problems: positioned(problems), warnings: [] };
  const { kind, meta: { line: _, ...meta }, spec, digest } = object;
  return {
    key,
    object: {
      meta: { ...meta, kind, creationTime: created, generation: 1, origin: { source } },
      spec,
      digest,
    },
    problems: [],
    warnings: positioned(warnings),
  };
}

/** The bytes of the envelope; the type URL of its `Any` is not the same for all senders. */
function valueOf({ typeUrl: url, value }: Any): Uint8Array {
  if (url.endsWith(".mcp.v1alpha1.Resource")) return value;
  throw invalid(`its type ${JSON.stringify(url)} is not that of a configuration resource`);
}

function specOf(kind: Kind, body: Any | undefined): unknown {
  if (body === undefined) throw invalid("it has no body");
  if (body.typeUrl !== typeUrl(kind.schema)) {
    throw invalid(`its body is ${JSON.stringify(body.typeUrl)}, not ${typeUrl(kind.schema)}`);
  }
  return toJson(kind.schema, fromBinary(kind.schema, body.value));
}

function invalid(message: string): MeshError {
  return new MeshError("resource-malformed", message);
}
