/**
 * Parses what-if questions: documents, checked like a file of the configuration directory, and
 * names of objects to remove.
 *
 * @module
 */
import { rowRef } from "../../mesh/graph/mod.ts";
import { hash } from "../../kit/base/mod.ts";
import { MESH_ROW } from "../../mesh/derive/mod.ts";
import { type ConfigObject, objectKey, objectOfRef } from "../../mesh/model/mod.ts";
import {
  eachDocument,
  isTableKind,
  type MeshSettings,
  type ObjectIdentity,
  type ParsedObject,
  type SchemaProblem,
  TABLE_KINDS,
} from "../../mesh/schema/mod.ts";
import { encode } from "../../kit/proto/mod.ts";
import type { ChangeSet, ObjectChange } from "../../mesh/ingest/mod.ts";
import type { Pipeline } from "../../mesh/translate/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { Pace } from "./pace.ts";

/** A what-if question. */
export interface Question {
  /**
   * YAML documents of objects to add or replace. A document with `kind: MeshConfig` or `kind:
   * MeshNetworks` has the content of that file.
   */
  readonly documents: string;
  /** Objects to remove, each as `Kind/namespace/name`. */
  readonly removals: readonly string[];
  /** Default namespace of the documents. */
  readonly namespace?: string;
  /** Changes of rows that no object of the mesh describes: of Services and pods. */
  readonly rows?: readonly ObjectChange[];
}

/** The edit of one object. */
export interface Edit {
  /** `Kind/namespace/name`, or only the kind of a singleton. */
  readonly object: string;
  readonly change: "added" | "changed" | "removed" | "unchanged";
}

/** A parsed question, or its problems. */
export interface Reading {
  readonly edits: readonly Edit[];
  readonly changes: ChangeSet;
  /** If not empty, the question is not evaluated. */
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly SchemaProblem[];
}

/** Name of documents in problems, because they have no file. */
export const DOCUMENTS = "request";
/** Name of removals in problems; the line is their number. */
const REMOVALS = "?remove";

/** Parses a question and compares it with the current objects. */
export async function readQuestion(
  question: Question,
  live: Pipeline,
  pace: Pace,
): Promise<Reading> {
  const problems: SchemaProblem[] = [];
  const warnings: SchemaProblem[] = [];
  const changes = new Map<string, ObjectChange>();
  const edits: Edit[] = [];
  /** Lines of the documents by the name of their object. */
  const lines = new Map<string, number>();
  const settings: { -readonly [K in "mesh" | "networks"]?: ChangeSet[K] } = {};
  const take = (name: string, edit: Edit["change"], change: ObjectChange) => {
    changes.set(name, change);
    edits.push({ object: name, change: edit });
  };
  for (
    const document of eachDocument(question.documents, DOCUMENTS, undefined, {
      settings: true,
      // The rows have what these documents describe.
      ...question.rows === undefined ? {} : { foreign: () => {} },
      ...question.namespace === undefined ? {} : { namespace: question.namespace },
    })
  ) {
    problems.push(...document.problems);
    warnings.push(...document.warnings);
    const { object } = document;
    if (document.settings !== undefined) {
      const edit = takeSettings(document.settings, live, settings);
      if (edits.some((one) => one.object === edit.object)) {
        problems.push(settingsTwice(edit.object, document.line));
      }
      edits.push(edit);
    }
    if (object === undefined) continue;
    const name = rowRef({ table: object.kind, key: objectKey(object.meta) });
    const { kind } = object;
    const first = lines.get(name);
    if (first !== undefined) problems.push(twice(object, first));
    else if (isTableKind(kind)) {
      if (kind === "WorkloadGroup") warnings.push(unregistered(object));
      const before = live.writer.original(kind, objectKey(object.meta));
      const row = rowOf(object, before);
      lines.set(name, object.meta.line);
      take(name, editOf(before, row), { kind, key: objectKey(object.meta), object: row });
    }
    await pace.pause();
  }
  for (const [at, name] of question.removals.entries()) {
    const change = readRemoval(name, live);
    if ("message" in change) {
      problems.push({ file: REMOVALS, line: at + 1, column: 1, path: "", ...change });
    } else if (changes.has(name)) {
      problems.push({ file: REMOVALS, line: at + 1, column: 1, path: "", ...said(name) });
    } else take(name, "removed", change);
  }
  for (const change of question.rows ?? []) {
    const { kind, key, object } = change;
    const before = live.writer.original(kind, key);
    const edit = object === undefined ? "removed" : editOf(before, object);
    take(objectOfRef(rowRef({ table: kind, key })), edit, change);
  }
  const all: ChangeSet = { ...settings, objects: [...changes.values()] };
  return { edits, changes: all, problems, warnings };
}

/** Applies settings of the mesh; returns whether they differ. */
function takeSettings(
  found: MeshSettings,
  { mesh: { tables } }: Pipeline,
  into: { mesh?: ChangeSet["mesh"]; networks?: ChangeSet["networks"] },
): Edit {
  const [before, after] = found.kind === "MeshConfig"
    ? [tables.mesh.peek(MESH_ROW), found.value].map((v) => v && encode(MeshConfigSchema, v))
    : [tables.networks.peek(MESH_ROW), found.value].map((v) => v && encode(MeshNetworksSchema, v));
  if (found.kind === "MeshConfig") into.mesh = found.value;
  else into.networks = found.value;
  const same = hash(before ?? "") === hash(after ?? "");
  return { object: found.kind, change: same ? "unchanged" : "changed" };
}

function editOf(before: ConfigObject | undefined, row: ConfigObject): Edit["change"] {
  if (before === undefined) return "added";
  return before.digest === row.digest && before.meta.creationTime === row.meta.creationTime
    ? "unchanged"
    : "changed";
}

/** The row of the object. */
function rowOf(object: ParsedObject, before: ConfigObject | undefined): ConfigObject {
  const { kind, spec, digest, meta: { line, ...meta } } = object;
  const same = before?.digest === digest;
  const generation = (before?.meta.generation ?? 0) + (same ? 0 : 1);
  const origin = { source: "file", file: before?.meta.origin.file ?? DOCUMENTS, line };
  return { meta: { kind, ...meta, generation, origin }, spec, digest };
}

type Reason = Pick<SchemaProblem, "code" | "message" | "remedy" | "object">;

function readRemoval(name: string, live: Pipeline): ObjectChange | Reason {
  const [kind = "", namespace = "", ...rest] = name.split("/");
  if (rest.length !== 1 || namespace === "" || rest[0] === "" || !isTableKind(kind)) {
    return {
      code: "wrong-name",
      message: `not the name of an object: ${name}`,
      remedy: `Write Kind/namespace/name; kinds are ${TABLE_KINDS.join(", ")}.`,
    };
  }
  const key = objectKey({ namespace, name: rest[0]! });
  if (live.writer.original(kind, key) !== undefined) return { kind, key, object: undefined };
  return {
    code: "no-such-object",
    message: `there is no ${kind} ${key} to remove`,
    remedy: "GET /debug/configz lists the objects that serve.",
    object: { kind, namespace, name: rest[0]! },
  };
}

function said(name: string): Reason {
  return {
    code: "contradiction",
    message: `${name} is to be removed and is among the documents or removals already`,
    remedy: "Name it once.",
  };
}

function positionOf(object: ParsedObject): Pick<SchemaProblem, "file" | "line" | "column"> {
  return { file: DOCUMENTS, line: object.meta.line, column: 1 };
}

function identityOf({ kind, meta }: ParsedObject): ObjectIdentity {
  return { kind, namespace: meta.namespace, name: meta.name };
}

/** Says what the file sources say about an object that two documents define. */
function twice(object: ParsedObject, first: number): SchemaProblem {
  const position = positionOf(object);
  const identity = identityOf(object);
  const { kind, namespace, name } = identity;
  const [here, other] = [position.line, first].map((line) => `${position.file}:${line}`);
  return {
    ...position,
    path: "metadata.name",
    code: "duplicate-object",
    message: `${kind} ${namespace}/${name} is already defined at ${other}`,
    remedy: `Rename or remove it here (${here}) or at ${other}.`,
    object: identity,
  };
}

function settingsTwice(kind: string, line: number): SchemaProblem {
  return {
    file: DOCUMENTS,
    line,
    column: 1,
    path: "kind",
    code: "duplicate-object",
    message: `${kind} is defined by an earlier document already`,
    remedy: "Write one document; there is one of it in a mesh.",
  };
}

/** Registered workloads are not part of an answer. */
function unregistered(object: ParsedObject): SchemaProblem {
  return {
    ...positionOf(object),
    path: "kind",
    code: "no-effect",
    message: "the answer does not show what a WorkloadGroup changes for registered workloads",
    remedy: "Expect changes of the WorkloadEntries that workloads of the group registered.",
    object: identityOf(object),
  };
}
