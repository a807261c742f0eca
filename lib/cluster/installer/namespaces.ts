/**
 * The namespaces of an installation.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import {
  applyObject,
  getObject,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import { nothingIfGone } from "./compare.ts";
import { forEach } from "./each.ts";
import { MANAGED_LABEL, MANAGER } from "./plan.ts";

/** Value of the label of namespaces that an installation made. */
export const CREATED = "Created";

interface Namespace extends OrchObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

/**
 * The namespaces that do not exist.
 *
 * @throws {MeshError} `install-namespace` for one that is being deleted
 */
export async function missingNamespaces(
  client: OrchClient,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await forEach(
    names,
    (name) => getObject<Namespace>(client, types.NAMESPACE, { name }).catch(nothingIfGone),
  );
  for (const one of found) {
    if (one?.metadata.deletionTimestamp !== undefined) throw endingError(one);
  }
  return new Set(names.filter((_, at) => found[at] === undefined));
}

/** Makes namespaces. They have a label, so that a purge removes those that an installation made. */
export async function createNamespaces(
  client: OrchClient,
  names: Iterable<string>,
): Promise<void> {
  await forEach([...names], (name) =>
    applyObject(client, types.NAMESPACE, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { [MANAGED_LABEL]: CREATED } },
    }, { manager: MANAGER }));
}

function endingError({ metadata, status }: Namespace): MeshError {
  const reasons = (status?.conditions ?? []).filter((one) => one.status === "True")
    .map(({ message = "" }) => message).filter((text) => text !== "");
  const why = reasons.length === 0 ? "" : `: ${reasons.join("; ")}`;
  return new MeshError(
    "install-namespace",
    `namespace ${metadata.name} is being deleted since ${metadata.deletionTimestamp}, and takes no ` +
      `new objects${why}`,
    { remedy: `Wait until it is gone: kubectl wait --for=delete namespace/${metadata.name}` },
  );
}
