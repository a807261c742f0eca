/**
 * The versions of IP of a cluster, and of its daemons.
 *
 * @module
 */
import { parseBoolean } from "../../kit/base/mod.ts";
import { listAll, OrchError, type OrchObject, types } from "../../kit/orch/mod.ts";
import type { ClusterAccess } from "../cluster_access/mod.ts";
import type { Finding } from "./finding.ts";

/** The variable of the daemon that lets proxies use both versions. */
const VARIABLE = "MESH_DUAL_STACK";

/** A node, as far as it is read. */
interface Node extends OrchObject {
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

/** A Deployment, as far as it is read. */
interface Deployment extends OrchObject {
  readonly spec?: {
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly {
          readonly env?: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

/** A warning about each daemon that gives proxies one of the cluster's two versions of IP. */
export async function checkIpVersions(
  { client, meshNamespace }: Pick<ClusterAccess, "client" | "meshNamespace">,
): Promise<Finding[]> {
  try {
    const nodes = await listAll<Node>(client, types.NODE, {});
    if (!nodes.some(hasBoth)) return [];
    const daemons = await listAll<Deployment>(client, types.DEPLOYMENT, {
      namespace: meshNamespace,
      labelSelector: "app=meshd",
    });
    if (daemons.length === 0) {
      const message = "The nodes have IPv4 and IPv6. For workloads with both, install with " +
        `values.pilot.env.${VARIABLE}=true`;
      return [{ code: "", level: "Info", message }];
    }
    return daemons.filter((one) => !usesBoth(one)).map(({ metadata: { name } }): Finding => ({
      code: "MSH1010",
      level: "Warning",
      message:
        `The nodes have IPv4 and IPv6, and ${VARIABLE} of Deployment ${name} is not true: proxies with ` +
        `both use IPv4 alone. Set values.pilot.env.${VARIABLE}=true`,
    }));
  } catch (error) {
    if (error instanceof OrchError && [403, 404].includes(error.status)) return [];
    throw error;
  }
}

function hasBoth({ status }: Node): boolean {
  const own = (status?.addresses ?? []).filter(({ type }) => type === "InternalIP");
  return own.some(({ address }) => address.includes(":")) &&
    own.some(({ address }) => !address.includes(":"));
}

function usesBoth({ spec }: Deployment): boolean {
  return (spec?.template?.spec?.containers ?? []).flatMap(({ env = [] }) => env)
    .some(({ name, value }) => name === VARIABLE && parseBoolean(value ?? "") === true);
}
