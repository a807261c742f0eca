/**
 * A change of a mesh from files: what proxies are sent, and what happens to requests.
 *
 * @module
 */
import type { ConfigObject } from "../../mesh/model/mod.ts";
import { objectKey, objectRef } from "../../mesh/model/mod.ts";
import { upsertOf } from "../../mesh/ingest/mod.ts";
import { createWhatIf, type Prediction, renderProblems } from "../whatif/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import { compareRequests, type RequestChanges } from "./blast_radius.ts";
import { makePipeline, type OfflineInput, OfflineMesh } from "./mesh.ts";

/** The blast radius of a change. */
export interface BlastRadius {
  readonly prediction: Prediction;
  readonly requests: RequestChanges;
  /** Number of further kinds of proxies, which were not compared; see {@link MAX_KINDS}. */
  readonly otherKinds: number;
  /** Facts that the source of the mesh cannot know, as sentences. */
  readonly limits: readonly string[];
}

/** Maximum of kinds of proxies that are compared: each costs a translation. */
export const MAX_KINDS = 100;

/** The question: the mesh now, and documents to add or replace. */
export interface ChangeQuestion extends OfflineInput {
  /** YAML documents. */
  readonly documents: string;
  /** The objects of the documents. */
  readonly added: readonly ConfigObject[];
  /** Objects to remove, each as `Kind/namespace/name`. */
  readonly removals: readonly string[];
  /** Facts that the source of the mesh cannot know, as sentences. */
  readonly limits: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Computes the blast radius of a change.
 *
 * @throws {MeshError} when the documents are invalid
 */
export async function blastRadius(question: ChangeQuestion): Promise<BlastRadius> {
  const { objects, mesh, networks, documents, added, removals, signal } = question;
  const { mesh: before, pipeline } = OfflineMesh.of({ objects, mesh, networks });
  const kinds = before.representatives();
  const sessions = kinds.slice(0, MAX_KINDS).map(({ session }) => session);
  for (const session of sessions) session.classKey;
  const whatIf = createWhatIf({
    live: pipeline,
    make: makePipeline,
    sessions: () => sessions,
  });
  const answer = await whatIf.ask({ documents, removals }, signal);
  if (answer.kind !== "predicted") {
    const problems = answer.kind === "invalid" ? renderProblems(answer.problems) : "busy";
    throw new MeshError("data", `the change is invalid:\n${problems.trimEnd()}`, {
      remedy: "Correct the documents.",
    });
  }
  const removed = new Set(removals);
  const next = new Map(objects.map((one) => [objectRef(one), one]));
  const gone = [...next].filter(([ref]) => removed.has(ref)).map(([, one]) => one);
  for (const ref of removed) next.delete(ref);
  for (const one of added) next.set(objectRef(one), one);
  const changes = [
    ...added.flatMap((one) => upsertOf(one) ?? []),
    ...gone.flatMap((one) => {
      const upsert = upsertOf(one);
      return upsert === undefined
        ? []
        : [{ ...upsert, key: objectKey(one.meta), object: undefined }];
    }),
  ];
  const { mesh: after } = OfflineMesh.of({ objects: [...next.values()], mesh, networks });
  return {
    prediction: answer.prediction,
    otherKinds: kinds.length - sessions.length,
    requests: compareRequests({ before, after, changes }),
    limits: question.limits,
  };
}
