/**
 * Analysis messages that an edit adds and removes.
 *
 * @module
 */
import { createAnalysis, type Message, workloadsOfClasses } from "../analyze/mod.ts";
import { type Mesh, tableOf } from "../../mesh/derive/mod.ts";
import type { ChangeSet, ObjectChange } from "../../mesh/ingest/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { Pace } from "./pace.ts";

/** The difference in messages. */
export interface MessageChanges {
  readonly added: readonly Message[];
  readonly removed: readonly Message[];
}

/** Milliseconds of work before a pause. */
const PIECE_MS = 5;
/** Objects that are written in one transaction. */
const CHUNK = 20;

/** The mesh without and with the edit. */
export interface AnalysisSides {
  /** All objects without the edit. */
  readonly before: readonly ObjectChange[];
  readonly config: MeshConfig | undefined;
  /** The mesh with the edit. */
  readonly after: Mesh;
  readonly changes: ChangeSet;
  readonly sessions: readonly SessionInfo[];
}

/** Compares the messages without and with an edit. */
export async function compareMessages(sides: AnalysisSides, pace: Pace): Promise<MessageChanges> {
  const { before: objects, config, after, changes, sessions } = sides;
  const analysis = createAnalysis({ domain: after.domain, now: () => performance.now() });
  const settle = async (): Promise<readonly Message[]> => {
    while (!analysis.work(PIECE_MS)) await pace.pause();
    return analysis.messages();
  };
  analysis.apply({
    mesh: config,
    workloads: workloadsOfClasses(sessions.map(({ classKey }) => classKey)),
    complete: true,
  });
  for (let at = 0; at < objects.length; at += CHUNK) {
    analysis.apply({ objects: objects.slice(at, at + CHUNK) });
    await pace.pause();
  }
  const before = await settle();
  analysis.apply({
    ...changes.mesh && { mesh: changes.mesh },
    objects: (changes.objects ?? []).map(({ kind, key }) => ({
      kind,
      key,
      object: tableOf(after.tables, kind).peek(key),
    })),
  });
  const now = await settle();
  return { added: without(now, before), removed: without(before, now) };
}

function without(list: readonly Message[], others: readonly Message[]): Message[] {
  const known = new Set(others.map(idOf));
  return list.filter((one) => !known.has(idOf(one)));
}

/** Messages are equal wherever the object is in its file. */
function idOf({ code, object, path, message }: Message): string {
  return JSON.stringify([code, object, path, message]);
}
