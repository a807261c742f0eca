/**
 * A change of a mesh from files: what proxies are sent, and what happens to requests.
 *
 * @module
 */
import { createWhatIf, type Prediction, renderProblems } from "../whatif/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";
import { compareRequests, type RequestChanges } from "./blast_radius.ts";
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import { makePipeline, type OfflineInput, OfflineMesh } from "./mesh.ts";
import type { SeenRequest } from "./seen_requests.ts";
import { meshesOf } from "./sides.ts";

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
  /** Default namespace of the documents. */
  readonly namespace?: string | undefined;
  /** Objects to remove, each as `Kind/namespace/name`. */
  readonly removals: readonly string[];
  /** Changes of Services and workloads of manifests. */
  readonly rows?: readonly ObjectChange[];
  /** Requests of access logs. */
  readonly seen?: readonly SeenRequest[];
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
  const { objects, mesh, networks, documents, removals, namespace, rows, seen = [], signal } =
    question;
  const { mesh: before, pipeline } = OfflineMesh.of({ objects, mesh, networks });
  const kinds = before.representatives();
  const sessions = kinds.slice(0, MAX_KINDS).map(({ session }) => session);
  for (const session of sessions) session.classKey;
  const whatIf = createWhatIf({
    live: pipeline,
    make: makePipeline,
    sessions: () => sessions,
  });
  const asked = {
    documents,
    removals,
    ...namespace === undefined ? {} : { namespace },
    ...rows === undefined ? {} : { rows },
  };
  const answer = await whatIf.askWith(asked, ({ translation, changes, show }, pace) => {
    const sides = meshesOf(() => OfflineMesh.over(translation), show);
    return compareRequests({ changes, show: sides }, { pause: () => pace.pause(), seen });
  }, signal);
  if (answer.kind !== "predicted") {
    const problems = answer.kind === "invalid" ? renderProblems(answer.problems) : "busy";
    throw new MeshError("data", `the change is invalid:\n${problems.trimEnd()}`, {
      remedy: "Correct the documents.",
    });
  }
  return {
    prediction: answer.prediction,
    otherKinds: kinds.length - sessions.length,
    requests: answer.result,
    limits: question.limits,
  };
}
