/**
 * Why the agent ends: it is replaced by another one, or it is taken off the node.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import {
  getObject,
  isNotFound,
  type OrchClient,
  OrchError,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";

/** The meaning of the agent's end for the node. */
export type Fate =
  | { readonly kind: "upgrade" | "uninstall"; readonly why: string }
  /** It cannot be known: everything stays, and the next start or removal finds the journal. */
  | { readonly kind: "unknown"; readonly why: string };

/** The DaemonSet of the agent. */
export interface DaemonSetName {
  readonly namespace: string;
  readonly name: string;
}

/** Longest time for an answer, milliseconds. */
const ANSWER_MS = 5_000;

/**
 * Asks the API server if the agent's DaemonSet is still there.
 *
 * @param couldRead the DaemonSet was read by this process before
 */
export async function fateOf(
  client: OrchClient,
  name: DaemonSetName,
  couldRead: boolean,
): Promise<Fate> {
  const what = `DaemonSet ${name.namespace}/${name.name}`;
  try {
    const { metadata } = await readDaemonSet(client, name);
    return metadata.deletionTimestamp === undefined
      ? { kind: "upgrade", why: `the ${what} is still there` }
      : { kind: "uninstall", why: `the ${what} is being deleted` };
  } catch (error) {
    if (isNotFound(error)) return { kind: "uninstall", why: `the ${what} is gone` };
    const isRefused = error instanceof OrchError && [401, 403].includes(error.status);
    if (isRefused && couldRead) {
      return { kind: "uninstall", why: `the right to read the ${what} was taken away` };
    }
    return { kind: "unknown", why: `the ${what} cannot be read: ${messageOf(error)}` };
  }
}

/** Name of the DaemonSet of an installation. */
const DEFAULT_NAME = "mesh-cni-node";

/**
 * The DaemonSet that a pod belongs to, once it was read.
 *
 * @throws OrchError while it cannot be read
 */
export async function findDaemonSet(
  client: OrchClient,
  pod: DaemonSetName,
): Promise<DaemonSetName> {
  const name = { namespace: pod.namespace, name: await ownerOf(client, pod) ?? DEFAULT_NAME };
  await readDaemonSet(client, name);
  return name;
}

/** The DaemonSet of an installation in a namespace, before it was found. */
export function expectedDaemonSet(namespace: string): DaemonSetName {
  return { namespace, name: DEFAULT_NAME };
}

async function ownerOf(client: OrchClient, pod: DaemonSetName): Promise<string | undefined> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const { metadata } = await getObject<OrchObject>(client, types.POD, pod, { signal });
    return metadata.ownerReferences?.find(({ kind }) => kind === "DaemonSet")?.name;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function readDaemonSet(
  client: OrchClient,
  { namespace, name }: DaemonSetName,
): Promise<OrchObject> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  return getObject(client, types.DAEMON_SET, { namespace, name }, { signal });
}
