import { MeshError, printable } from "../../kit/base/mod.ts";
import { EXIT_FAILURE, type Invocation, usageError } from "../../kit/cli/mod.ts";
import { isAtLeast, type Level, networkPluginMessages } from "../analyze/mod.ts";
import {
  getObject,
  isUnreachable,
  OrchError,
  type OrchObject,
  serverVersion,
  types,
} from "../../kit/orch/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { type ClusterAccess, openCluster } from "../cluster_access/mod.ts";
import { daemonPods } from "../daemon_client/mod.ts";
import { readPluginState } from "../mesh_input/mod.ts";
import { findLocalPorts } from "./listening_sockets.ts";
import { isOlder } from "./changes.ts";
import type { Finding } from "./finding.ts";
import { checkIpVersions } from "./ip_versions.ts";
import { ORCHESTRATORS, supportOf } from "./support.ts";
import { checkProxies, checkUpgrade } from "./upgrade.ts";

/** Oldest definitions of the Gateway API that are read. */
const MIN_GATEWAY_API = "v0.8.0";
const GATEWAY_DEFINITION = "httproutes.gateway.networking.k8s.io";
const BUNDLE_ANNOTATION = "gateway.networking.k8s.io/bundle-version";

/** Types that an installation creates. */
const CREATED: readonly {
  readonly group: string;
  readonly resource: string;
  readonly all?: boolean;
}[] = [
  { group: "", resource: "namespaces", all: true },
  { group: "rbac.authorization.k8s.io", resource: "clusterroles", all: true },
  { group: "rbac.authorization.k8s.io", resource: "clusterrolebindings", all: true },
  { group: "apiextensions.k8s.io", resource: "customresourcedefinitions", all: true },
  { group: "admissionregistration.k8s.io", resource: "mutatingwebhookconfigurations", all: true },
  { group: "admissionregistration.k8s.io", resource: "validatingwebhookconfigurations", all: true },
  { group: "rbac.authorization.k8s.io", resource: "roles" },
  { group: "", resource: "serviceaccounts" },
  { group: "", resource: "services" },
  { group: "apps", resource: "deployments" },
  { group: "", resource: "configmaps" },
];

/** Checks if the mesh can be installed in a cluster, or upgraded. */
export async function precheck(call: Invocation): Promise<number> {
  const { flags, io } = call;
  checkVersionFlag(call);
  using cluster = await openCluster(call);
  const found: Finding[] = [...await checkUpgrade(call, cluster)];
  if (!flags.bool("skip-controlplane")) {
    found.push(...await checkVersion(cluster), ...await checkRights(cluster));
    found.push(...await checkGatewayApi(cluster), ...await checkDaemons(call, cluster));
    found.push(...await checkIpVersions(cluster));
  }
  found.push(...await checkPlugin(call, cluster), ...await checkSockets(call, cluster));
  if (flags.bool("proxies")) found.push(...await checkProxies(call));
  const threshold = flags.string("output-threshold") as Level;
  const shown = found.filter(({ level }) => isAtLeast(level, threshold));
  const form = flags.string("output");
  if (form === "json") io.out(`${JSON.stringify(shown, null, "\t")}\n`);
  else if (form === "yaml") io.out(toYaml(shown));
  else {
    for (const { code, level, message } of shown) {
      io.out(printable(`${level}${code === "" ? "" : ` [${code}]`} ${message}`) + "\n");
    }
  }
  if (found.some(({ level }) => level === "Error")) {
    io.err(
      "Error: Issues found when checking the cluster. It does not meet the requirements of Mesh.\n",
    );
    return EXIT_FAILURE;
  }
  if (form === "log" && shown.length === 0) {
    io.out(
      "No issues found when checking the cluster. It meets the requirements of Mesh.\n" +
        "meshctl install installs it.\n",
    );
  }
  return 0;
}

/** Sentences about a cluster that does not meet the requirements of an installation. */
export async function clusterFaults(cluster: ClusterAccess): Promise<string[]> {
  const found = [...await checkVersion(cluster), ...await checkGatewayApi(cluster)];
  return found.map(({ code, message }) => `[${code}] ${message}`);
}

const VERSION = /^v?\d+(\.\d+){1,2}(-[0-9A-Za-z.-]+)?$/;

function checkVersionFlag({ flags }: Invocation): void {
  const from = flags.string("from-version");
  if (from === "" || VERSION.test(from)) return;
  throw usageError(`--from-version: ${JSON.stringify(from)} is no version`, "Write it as 0.1.0.");
}

async function checkVersion({ client }: ClusterAccess): Promise<Finding[]> {
  const { major, minor, gitVersion } = await serverVersion(client);
  const { oldest, tested } = ORCHESTRATORS;
  const known = tested.map((one) => `1.${one}`).join(", ");
  const version = `Orchestrator version "${gitVersion}"`;
  switch (supportOf({ major, minor })) {
    case "tested":
      return [];
    case "too-old": {
      const message = `${version} is below the minimum 1.${oldest}`;
      return [{ code: "MSH0142", level: "Error", message }];
    }
    case "newer": {
      const message = `${version} is newer than those that were tested: ${known}`;
      return [{ code: "", level: "Warning", message }];
    }
    case "not-tested": {
      const message = `${version} is supported and was not tested; tested: ${known}`;
      return [{ code: "", level: "Info", message }];
    }
  }
}

/** Asks the API server if the identity may create what an installation creates. */
async function checkRights({ client, meshNamespace }: ClusterAccess): Promise<Finding[]> {
  const answers = await Promise.all(CREATED.map(async ({ group, resource, all }) => {
    const namespace = all === true ? {} : { namespace: meshNamespace };
    const { status } = await client.json<{ status?: { allowed?: boolean; reason?: string } }>({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { verb: "create", group, resource, ...namespace } },
      },
    });
    if (status?.allowed === true) return [];
    const name = group === "" ? resource : `${resource}.${group}`;
    const reason = status?.reason || "no rule allows it";
    const message = `Permission to create ${name} is missing (${reason})`;
    return [{ code: "MSH0141", level: "Error" as const, message }];
  }));
  return answers.flat();
}

async function checkGatewayApi({ client }: ClusterAccess): Promise<Finding[]> {
  let version: string | undefined;
  try {
    const type = types.CUSTOM_RESOURCE_DEFINITION;
    const { metadata } = await getObject<OrchObject>(client, type, { name: GATEWAY_DEFINITION });
    version = metadata.annotations?.[BUNDLE_ANNOTATION];
  } catch (error) {
    if (error instanceof OrchError && [403, 404].includes(error.status)) return [];
    throw error;
  }
  if (version === undefined || !isOlder(version, MIN_GATEWAY_API)) return [];
  const message = `Gateway API CRD version ${version} is below the minimum ${MIN_GATEWAY_API}`;
  return [{ code: "MSH0156", level: "Error", message }];
}

/** The state of the network plugin, as `meshctl analyze` judges it. */
async function checkPlugin({ io }: Invocation, cluster: ClusterAccess): Promise<Finding[]> {
  const warn = (message: string) =>
    io.err(printable(`Note: the network plugin: ${message}`) + "\n");
  const seen = await readPluginState(cluster, warn);
  return networkPluginMessages(seen, cluster.meshNamespace)
    .map(({ code, level, message, remedy }) => ({ code, level, message: `${message}. ${remedy}` }));
}

async function checkSockets(call: Invocation, cluster: ClusterAccess): Promise<Finding[]> {
  try {
    return (await findLocalPorts(call, cluster)).map(({ pod, port }) => ({
      code: "MSH0143",
      level: "Error",
      message: `(Pod ${pod}) Port ${port} is exposed by a Service but listens on localhost; ` +
        "other pods cannot reach it",
    }));
  } catch (error) {
    if (!(error instanceof OrchError) || error.status !== 403) throw error;
    call.io.err(`Note: the sockets of pods are not known: ${error.message}\n`);
    return [];
  }
}

/** A note about the daemons that run already. */
async function checkDaemons({ flags }: Invocation, cluster: ClusterAccess): Promise<Finding[]> {
  try {
    const pods = await daemonPods(cluster, { revision: flags.string("revision") });
    const names = pods.map(({ metadata }) => metadata.name).join(", ");
    return [{ code: "", level: "Info", message: `A control plane runs already: ${names}` }];
  } catch (error) {
    if (!(error instanceof MeshError) || isUnreachable(error)) throw error;
    return [];
  }
}
