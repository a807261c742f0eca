/**
 * The messages about files, alone or with the objects of a cluster: one list for all commands.
 *
 * @module
 */
import { analyzeFileSet, type Message, messageOfProblem, uncheckedParts } from "../analyze/mod.ts";
import type { ListItem } from "../../kit/orch/mod.ts";
import {
  type defaultMeshConfig,
  hintWorkloads,
  type ObjectIdentity,
  type SchemaProblem,
  type SeenDocument,
} from "../../mesh/schema/mod.ts";
import { checkConfigFiles, type CheckedFiles } from "../../mesh/sources/mod.ts";
import type { LiveObjects } from "../mesh_input/mod.ts";

/** The files, and their mesh. */
export interface FileMessagesOptions {
  /** Files, directories, `-` for standard input. */
  readonly files: readonly string[];
  /** Namespace of objects that name none; unset: `default`. */
  readonly namespace?: string;
  readonly meshNamespace: string;
  readonly mesh: ReturnType<typeof defaultMeshConfig>;
  /**
   * True: without a cluster, the default ingress gateway of an installation exists. False: selectors of
   * Gateways are checked only if the files describe workloads.
   */
  readonly assumeGateway: boolean;
  /** True: also the analyzers that run only on request. */
  readonly all?: boolean;
  /** The objects of a cluster; files replace those of the same name. */
  readonly live?: LiveObjects;
}

/** The messages about files, and the parts that were not checked. */
export interface FileMessages {
  /** Names of the files that were read, in order. */
  readonly files: readonly string[];
  /** Messages about objects, those of rejected ones first. */
  readonly messages: readonly Message[];
  /** Problems of documents that are not known to be objects of the mesh. */
  readonly unreadable: readonly SchemaProblem[];
  /** Parts that were not checked, with the reasons; half sentences. */
  readonly unchecked: readonly string[];
  /** All documents, of files and cluster. */
  readonly seen: readonly SeenDocument[];
  /** The namespaces of the objects in the files. */
  readonly namespaces: readonly string[];
}

/** The DNS suffix of a mesh that does not set another one. */
const DOMAIN = "cluster.local";

/** Namespaces of the orchestrator, whose workloads get no hints. */
const SYSTEM_NAMESPACES = ["kube-system", "kube-public", "kube-node-lease"];

/** Warnings of single documents that analysis says better. */
const LEFT_OUT: ReadonlySet<string> = new Set(["unreachable"]);

/** Checks files as one set: what a daemon rejects, what it warns about, and what analysis finds. */
export async function fileMessages(options: FileMessagesOptions): Promise<FileMessages> {
  const { live, namespace, meshNamespace } = options;
  const fromFiles: SeenDocument[] = [];
  const { certificateFault } = await import("../../kit/pki/mod.ts");
  const checked = await checkConfigFiles(options.files, {
    namespace,
    seen: (one) => void fromFiles.push(one),
    foreign: hintWorkloads(new Set([...SYSTEM_NAMESPACES, meshNamespace])),
  });
  const below = without(live, fromFiles, namespace);
  const seen = [...below.seen, ...fromFiles];
  const set = {
    ...{ mesh: options.mesh, namespace, meshNamespace, domain: DOMAIN, seen },
    ...live === undefined ? {} : { remotes: live.remotes, cluster: live.cluster },
    objects: [...below.objects, ...checked.objects],
    assumeGateway: options.assumeGateway && live === undefined,
  };
  const found = analyzeFileSet({
    ...set,
    all: options.all,
    certificateFault: (pem) => certificateFault(pem, Date.now()),
    now: () => performance.now(),
  }).map((one) => ({ ...one, ...checked.locate(one.file, one.line, one.path) }));
  return {
    files: checked.files,
    messages: [
      ...below.problems.map((one) => messageOfProblem(one, true)),
      ...schemaMessages(checked),
      ...found,
    ],
    unreadable: checked.problems.filter(isUnreadable),
    unchecked: uncheckedParts(set),
    seen,
    namespaces: [
      ...new Set(fromFiles.flatMap((one) => identityOf(one, namespace)?.namespace ?? [])),
    ],
  };
}

/** The objects of a cluster without those that files replace. */
function without(
  live: LiveObjects | undefined,
  files: readonly SeenDocument[],
  namespace: string | undefined,
): Pick<LiveObjects, "objects" | "seen" | "problems"> {
  if (live === undefined) return { objects: [], seen: [], problems: [] };
  const idIn = (one: SeenDocument): string | undefined => {
    const identity = identityOf(one, namespace);
    return identity && idOf(identity);
  };
  const replaced = new Set(files.flatMap((one) => idIn(one) ?? []));
  const isKept = (identity: ObjectIdentity | undefined): boolean =>
    identity === undefined || !replaced.has(idOf(identity));
  return {
    objects: live.objects.filter(({ meta }) => isKept(meta)),
    seen: live.seen.filter((one) => !replaced.has(idIn(one) ?? "")),
    problems: live.problems.filter(({ object }) => isKept(object)),
  };
}

/** Kind, namespace and name of a document; `undefined` for one without. */
function identityOf(
  { value }: SeenDocument,
  namespace = "default",
): ObjectIdentity | undefined {
  const { kind, metadata } = (value ?? {}) as Partial<ListItem>;
  if (kind === undefined || metadata?.name === undefined) return undefined;
  return { kind, namespace: metadata.namespace ?? namespace, name: metadata.name };
}

function idOf({ kind, namespace, name }: ObjectIdentity): string {
  return JSON.stringify([kind, namespace, name]);
}

/** True for a problem of a document that is not known to be an object of the mesh. */
function isUnreadable({ object, code }: CheckedFiles["problems"][number]): boolean {
  return object === undefined || code === "unknown-kind";
}

function schemaMessages({ problems, warnings }: CheckedFiles): Message[] {
  return [
    ...problems.filter((one) => !isUnreadable(one)).map((one) => messageOfProblem(one, true)),
    ...warnings.filter(({ code }) => !LEFT_OUT.has(code))
      .map((one) => messageOfProblem(one, false)),
  ];
}
