import { MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import { type Invocation, neutralText } from "../../kit/cli/mod.ts";
import { getObject, isNotFound, listAll, type OrchObject, types } from "../../kit/orch/mod.ts";
import { defaultMeshConfig, KINDS } from "../../mesh/schema/mod.ts";
import { readPolicies } from "../mesh_input/mod.ts";
import {
  type ClusterAccess,
  hasProxy,
  openCluster,
  podId,
  podNamed,
  podsOf,
  selectorText,
  targetName,
} from "../cluster_access/mod.ts";
import { ROUTE_KINDS } from "../../mesh/gateway_api/mod.ts";
import type { ApiRoute, ApiRouteSpec } from "./describe_api_routes.ts";
import { describeProxy } from "./describe_proxy.ts";
import {
  type Described,
  type DescribedMesh,
  describePod,
  describeService,
  hostOf,
  isServing,
  type RouteSpec,
  type RuleSpec,
  type ServiceSpec,
} from "./describe_text.ts";

/** Prints a report about a pod. */
export async function describePodCommand(call: Invocation): Promise<number> {
  const { flags, args: [given = ""], io } = call;
  using cluster = await openCluster(call);
  const pod = await podNamed(cluster, given);
  const options = { ignoreUnmeshed: flags.bool("ignoreUnmeshed") };
  const mesh = await meshOf(cluster, flags.string("revision"));
  const lines = describePod(pod, mesh, options);
  if (hasProxy(pod)) {
    const hosts = mesh.services.filter((one) => isServing(one, pod)).map(hostOf);
    lines.push(...await describeProxy(call, pod, hosts));
  }
  io.out(neutralText(`${lines.join("\n")}\n`));
  return 0;
}

/** Prints a report about a service. */
export async function describeServiceCommand(call: Invocation): Promise<number> {
  const { flags, args: [given = ""], io } = call;
  using cluster = await openCluster(call);
  const { name, namespace } = targetName(
    given.replace(/^(svc|services?)\//, ""),
    cluster.namespace,
  );
  const service = await serviceNamed(cluster, namespace, name);
  const labelSelector = selectorText(service.spec?.selector);
  const pods = labelSelector === "" ? [] : await podsOf(cluster, { namespace, labelSelector });
  const options = { ignoreUnmeshed: flags.bool("ignoreUnmeshed") };
  const lines = describeService(
    service,
    pods,
    await meshOf(cluster, flags.string("revision")),
    options,
  );
  const [meshed] = pods.filter(hasProxy);
  if (meshed !== undefined) {
    lines.push(...await describeProxy(call, meshed, [hostOf(service)]));
    lines.push(`Pods with a proxy: ${pods.filter(hasProxy).map(podId).join(", ")}`);
  }
  io.out(neutralText(`${lines.join("\n")}\n`));
  return 0;
}

async function serviceNamed(
  { client }: ClusterAccess,
  namespace: string,
  name: string,
): Promise<Described<ServiceSpec>> {
  try {
    const type = types.SERVICE;
    return await getObject<OrchObject & Described<ServiceSpec>>(client, type, { namespace, name });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new MeshError(
      "service-unknown",
      printable(`there is no service ${name} in ${namespace}`),
      {
        remedy: "Check the name and the namespace (--namespace, or NAME.NAMESPACE).",
        cause: messageOf(error),
      },
    );
  }
}

async function meshOf(cluster: ClusterAccess, revision: string): Promise<DescribedMesh> {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(printable(message));
  const [services, rules, routes, apiRoutes, { objects: policies, mesh }] = await Promise.all([
    listAll<Described<ServiceSpec>>(cluster.client, types.SERVICE),
    objectsOf<RuleSpec>(cluster, "DestinationRule"),
    objectsOf<RouteSpec>(cluster, "VirtualService"),
    apiRoutesOf(cluster),
    readPolicies(cluster, { revision, warn }),
  ]);
  return {
    services,
    rules,
    routes,
    apiRoutes,
    policies,
    settings: mesh ?? defaultMeshConfig(),
    warnings,
  };
}

/** The routes of the Gateway API, each with its kind. */
async function apiRoutesOf(cluster: ClusterAccess): Promise<ApiRoute[]> {
  const kinds = ROUTE_KINDS.map(async (kind) => {
    const found = await objectsOf<ApiRouteSpec>(cluster, kind);
    return found.map((one) => ({ ...one, kind }));
  });
  return (await Promise.all(kinds)).flat();
}

/** The objects of a kind; none if the cluster does not have the kind. */
async function objectsOf<T>({ client }: ClusterAccess, kind: string): Promise<Described<T>[]> {
  const row = KINDS.find((one) => one.kind === kind);
  if (row === undefined) return [];
  const { group, plural, versions: [version = "v1"] } = row;
  try {
    return await listAll<Described<T>>(client, { group, version, kind, plural, namespaced: true });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
