/**
 * Configuration files and flags of the programs of a cluster with nodes.
 *
 * @module
 */
import { join } from "../../paths.ts";
import type { ClusterFiles } from "../files.ts";
import type { NodePrograms } from "../node_programs.ts";
import { groupOf, isGroupsV1 } from "./groups.ts";
import {
  API_PORT,
  CLUSTER_DOMAIN,
  CONTROL_ADDRESS,
  CONTROL_ADDRESS_6,
  DNS_ADDRESS,
  DNS_ADDRESS_6,
  DNS_READY_PORT,
  forVersions,
  type IpVersions,
  type NodeLayout,
  POD_RANGE,
  POD_RANGE_6,
  type PodNetwork,
  SERVICE_RANGE,
  SERVICE_RANGE_6,
} from "./layout.ts";

/** Name of the image of a pod's sandbox. */
export const PAUSE_IMAGE = "docker.io/mesh/pause:1";

const ETCD = "http://127.0.0.1:2379";

/** Flags of etcd. Its data is of no use after a crash of the machine. */
export function etcdFlags(dir: string): string[] {
  return [`--data-dir=${dir}/etcd`, "--unsafe-no-fsync", "--log-level=warn"];
}

/** Flags of the API server. */
export function serverFlags(files: ClusterFiles, versions: IpVersions): string[] {
  const { serverCert, serverKey, accountKey } = files;
  const admin = files.kubeconfig.replace(/kubeconfig$/, "admin");
  return [
    ...[`--etcd-servers=${ETCD}`, "--bind-address=::", `--secure-port=${API_PORT}`],
    `--advertise-address=${versions === "6" ? CONTROL_ADDRESS_6 : CONTROL_ADDRESS}`,
    `--service-cluster-ip-range=${forVersions(versions, SERVICE_RANGE, SERVICE_RANGE_6)}`,
    ...[`--tls-cert-file=${serverCert}`, `--tls-private-key-file=${serverKey}`],
    ...[`--client-ca-file=${files.ca}`, `--token-auth-file=${files.tokens}`],
    "--service-account-issuer=https://kubernetes.default.svc",
    ...[`--service-account-key-file=${accountKey}`],
    ...[`--service-account-signing-key-file=${accountKey}`],
    ...["--authorization-mode=Node,RBAC", "--allow-privileged", "--profiling=false"],
    // Names of nodes are not known to the name server.
    "--kubelet-preferred-address-types=InternalIP",
    ...[`--kubelet-client-certificate=${admin}.crt`, `--kubelet-client-key=${admin}.key`],
  ];
}

/** Flags of the controller manager. Nodes get their ranges of addresses from `nodeLayouts`. */
export function managerFlags(files: ClusterFiles, kubeconfig: string): string[] {
  return [
    ...accessFlags(kubeconfig),
    `--root-ca-file=${files.ca}`,
    `--service-account-private-key-file=${files.accountKey}`,
    ...[`--cluster-signing-cert-file=${files.ca}`, `--cluster-signing-key-file=${files.caKey}`],
    "--controllers=*,-node-ipam-controller",
  ];
}

/** Flags of programs that serve their own state to those whom the API server knows. */
export function accessFlags(kubeconfig: string): string[] {
  const names = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
  return [
    ...names.map((name) => `--${name}=${kubeconfig}`),
    ...["--bind-address=127.0.0.1", "--leader-elect=false"],
  ];
}

/** The name server's file: names of the cluster; every other name does not exist. */
export function corefile(kubeconfig: string): string {
  return `.:53 {
  errors
  ready :${DNS_READY_PORT}
  kubernetes ${CLUSTER_DOMAIN} in-addr.arpa ip6.arpa {
    kubeconfig ${kubeconfig}
    ttl 5
  }
  template ANY ANY {
    rcode NXDOMAIN
  }
  cache 5
}
`;
}

/** The Service of the name server, which runs beside the API server. */
export function dnsObjects(versions: IpVersions): unknown[] {
  const is6 = versions === "6";
  const metadata = { name: "kube-dns", namespace: "kube-system" };
  const ports = ["UDP", "TCP"].map((protocol) => ({
    name: `dns-${protocol.toLowerCase()}`,
    port: 53,
    protocol,
  }));
  const labels = { "k8s-app": "kube-dns", "kubernetes.io/name": "CoreDNS" };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...metadata, labels },
      spec: { clusterIP: is6 ? DNS_ADDRESS_6 : DNS_ADDRESS, ports },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": "kube-dns" } },
      addressType: is6 ? "IPv6" : "IPv4",
      endpoints: [{
        addresses: [is6 ? CONTROL_ADDRESS_6 : CONTROL_ADDRESS],
        conditions: { ready: true },
      }],
      ports,
    },
  ];
}

/** The paths of a node. Those below `/run` are seen only in the node's namespaces. */
export interface NodePaths {
  /** Folder of the node. */
  readonly dir: string;
  /** Socket of containerd. */
  readonly socket: string;
}

/** The paths of a node in a cluster's folder. */
export function nodePaths(dir: string, { name }: NodeLayout): NodePaths {
  return { dir: join(dir, name), socket: `/run/${name}/containerd.sock` };
}

/** Configuration of containerd. */
export function containerdConfig(
  { dir, socket }: NodePaths,
  { name }: NodeLayout,
  { runtimeDir, bridgeDir }: NodePrograms,
): string {
  const text = JSON.stringify;
  return `version = 3
root = ${text(`${dir}/containerd`)}
state = ${text(`/run/${name}/containerd`)}
[grpc]
  address = ${text(socket)}
[plugins."io.containerd.internal.v1.opt"]
  path = ${text(`${dir}/opt`)}
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = ${text(PAUSE_IMAGE)}
# No registry is asked: an image that was not imported fails at once.
[plugins."io.containerd.cri.v1.images".registry]
  config_path = ${text(`${dir}/registries`)}
[plugins."io.containerd.cri.v1.runtime"]
  # A container of CI lacks the capability to lower the score.
  restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = [${
    [runtimeDir, bridgeDir, `${dir}/plugins`].filter(Boolean).map((one) => text(one)).join(", ")
  }]
  conf_dir = ${text(`${dir}/cni`)}
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
    SystemdCgroup = false
`;
}

/** A registry that answers nothing, for all names. */
export const NO_REGISTRY = `server = "http://127.0.0.1:1"
[host."http://127.0.0.1:1"]
  capabilities = ["pull", "resolve"]
`;

/** The first plugins of the pods' network. Pods of a bridge find the node at its first address. */
const MAIN_PLUGINS: Readonly<Record<PodNetwork, Readonly<Record<string, unknown>>>> = {
  ptp: { type: "ptp", ipMasq: false },
  bridge: { type: "bridge", bridge: "pods0", isDefaultGateway: true, ipMasq: false },
};

/** Configuration of the pods' network. */
export function cniConfig(
  { dir }: NodePaths,
  { pods, ipv6, versions }: NodeLayout,
  network: PodNetwork,
): string {
  const ipam = {
    type: "host-local",
    dataDir: join(dir, "addresses"),
    ranges: forVersions(versions, pods, ipv6?.pods ?? "").split(",").map((subnet) => [{ subnet }]),
    // A bridge adds the route to its gateway itself.
    ...network === "ptp" &&
      { routes: forVersions(versions, "0.0.0.0/0", "::/0").split(",").map((dst) => ({ dst })) },
  };
  const plugins = [
    { ...MAIN_PLUGINS[network], ipam },
    { type: "portmap", capabilities: { portMappings: true } },
  ];
  return JSON.stringify({ cniVersion: "1.0.0", name: "pods", plugins });
}

/** Configuration of the kubelet. */
export function kubeletConfig(
  { dir, socket }: NodePaths,
  { cluster, versions }: { readonly cluster: string; readonly versions: IpVersions },
  files: ClusterFiles,
): string {
  const groups = isGroupsV1()
    ? { failCgroupV1: false, cgroupsPerQOS: false }
    : { cgroupsPerQOS: true, cgroupRoot: `/${groupOf(cluster)}` };
  return JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    cgroupDriver: "cgroupfs",
    ...groups,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    oomScoreAdj: 0,
    containerRuntimeEndpoint: `unix://${socket}`,
    podLogsDir: join(dir, "pods"),
    volumePluginDir: join(dir, "volume-plugins"),
    resolvConf: join(dir, "resolv.conf"),
    clusterDomain: CLUSTER_DOMAIN,
    clusterDNS: [versions === "6" ? DNS_ADDRESS_6 : DNS_ADDRESS],
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: files.ca },
    },
    authorization: { mode: "Webhook" },
    // The machine's disk and memory are not the cluster's own.
    evictionHard: { "memory.available": "0%", "nodefs.available": "0%", "imagefs.available": "0%" },
    imageGCHighThresholdPercent: 100,
    // No pod is evicted for its use of the disk. Looking for one costs as much as the rest of an idle kubelet.
    localStorageCapacityIsolation: false,
    serializeImagePulls: false,
    // An imported image is used also after its pull failed.
    imagePullCredentialsVerificationPolicy: "NeverVerify",
  });
}

/** Configuration of kube-proxy. */
export function proxyConfig(
  kubeconfig: string,
  { name, versions }: NodeLayout,
  network: PodNetwork,
): string {
  return JSON.stringify({
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    // Pods of one bridge answer each other without the node, which would not turn addresses of Services back.
    ...network === "bridge" && { nftables: { masqueradeAll: true } },
    clusterCIDR: forVersions(versions, POD_RANGE, POD_RANGE_6),
    hostnameOverride: name,
    oomScoreAdj: 0,
    // The table of connections is the machine's; its size stays.
    conntrack: { maxPerCore: 0 },
    clientConnection: { kubeconfig },
  });
}
