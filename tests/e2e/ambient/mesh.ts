/**
 * A daemon in ambient mode that issues certificates, and real node proxies, each beside one workload in a
 * network namespace.
 *
 * @module
 */
import {
  type ConfigDir,
  type Daemon,
  freePort,
  makeConfigDir,
  type NodeNetwork,
  type NodeProxy,
  nodeProxyPath,
  packedNodeProxy,
  startDaemon,
  startNodeProxy,
} from "../../../scripts/harness/mod.ts";
import { startTokenIssuer, type TokenIssuer, writePluggedCa } from "../../support/identity.ts";

const PACKED = packedNodeProxy();

/** Why tests with the node proxy cannot run here; undefined: they can. */
export const LACKING: string | undefined = Deno.build.os !== "linux" || Deno.uid() !== 0
  ? "needs Linux and root"
  : PACKED === undefined
  ? "needs the node proxy: set MESH_NODE_PROXY to ztunnel.xz"
  : undefined;

/** A daemon over a directory, with an issuer of tokens. */
export interface AmbientMesh {
  readonly config: ConfigDir;
  readonly daemon: Daemon;
  readonly issuer: TokenIssuer;
  readonly root: string;
  readonly dir: string;
  /** The secured port, at all addresses. */
  readonly port: number;
  readonly stack: AsyncDisposableStack;
}

/** Starts the daemon with the documents of `mesh.yaml`. */
export async function startAmbientMesh(
  stack: AsyncDisposableStack,
  documents: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<AmbientMesh> {
  const config = stack.use(await makeConfigDir());
  const dir = await Deno.makeTempDir({ prefix: "mesh-node-proxy-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const { certificate } = await writePluggedCa(`${dir}/ca`);
  const issuer = stack.use(await startTokenIssuer());
  await config.write("mesh.yaml", documents.join("---\n"));
  const port = freePort();
  const daemon = stack.use(
    await startDaemon({
      configDir: config.path,
      secured: port,
      args: [`--secureGRPCAddr=0.0.0.0:${port}`],
      env: {
        PILOT_ENABLE_AMBIENT: "true",
        ROOT_CA_DIR: `${dir}/ca`,
        JWT_RULE: issuer.rule,
        // The issuer is on loopback, from where the daemon fetches no keys unasked.
        JWKS_ALLOWED_CIDRS: "127.0.0.0/8",
        ...env,
      },
    }),
  );
  return { config, daemon, issuer, root: certificate.pem, dir, port, stack };
}

/** The workload of namespace `shop` that a node proxy is beside. */
export interface ProxiedWorkload {
  readonly network: NodeNetwork;
  /** Its name, and that of its service account. */
  readonly name: string;
  readonly address: string;
  /** The network that it is in; default: none. */
  readonly inNetwork?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the proxy of one workload, with a SOCKS port for its clients. */
export async function proxyOf(
  { issuer, root, dir, port, stack }: AmbientMesh,
  { network, name, address, inNetwork, env = {} }: ProxiedWorkload,
): Promise<NodeProxy> {
  return stack.use(
    await startNodeProxy({
      path: await nodeProxyPath(PACKED!),
      network,
      xds: `https://${network.host}:${port}`,
      dir: `${dir}/${name}`,
      // WorkloadEntries are on no node.
      node: "",
      root,
      token: await issuer.token("shop", name),
      env: {
        PROXY_MODE: "dedicated",
        PROXY_WORKLOAD_INFO: `shop/${name}/${name}`,
        POD_NAME: name,
        POD_NAMESPACE: "shop",
        INSTANCE_IP: address,
        UNSTABLE_ENABLE_SOCKS5: "true",
        // Connections begin at loopback, which is no source for other hosts.
        ENABLE_ORIG_SRC: "false",
        ...(inNetwork === undefined ? {} : { NETWORK: inNetwork, ISTIO_META_NETWORK: inNetwork }),
        ...env,
      },
    }),
  );
}

/** Links two namespaces, with an address on each side of the link. */
export async function link(
  [one, other]: readonly [NodeNetwork, NodeNetwork],
  addresses: readonly [string, string],
): Promise<void> {
  const peer = ["peer", "name", "mesh0", "netns", other.name];
  await one.run("ip", "link", "add", "mesh0", "type", "veth", ...peer);
  for (const [network, address] of [[one, addresses[0]], [other, addresses[1]]] as const) {
    await network.run("ip", "addr", "add", `${address}/24`, "dev", "mesh0");
    await network.run("ip", "link", "set", "mesh0", "up");
  }
}

/** An HTTP server at port 8080 of a namespace that names its client's address and the request's path. */
export function startEcho(network: NodeNetwork): AsyncDisposable {
  const script = `Deno.serve({ port: 8080, hostname: "0.0.0.0", onListen() {} },
    (_, { remoteAddr }) => new Response("reached from " + remoteAddr.hostname));`;
  return network.start(Deno.execPath(), ["eval", script]);
}

/** The answer to a request through the proxy of a namespace, with `curl`'s options; its fault where there is none. */
export function ask(
  network: NodeNetwork,
  target: string,
  ...options: readonly string[]
): Promise<string> {
  const socks = ["--socks5", "127.0.0.1:15080"];
  return network.run("curl", "-sS", "-m", "5", ...socks, ...options, `http://${target}`)
    .catch((error: Error) => `refused: ${error.message.split("\n")[0]}`);
}
