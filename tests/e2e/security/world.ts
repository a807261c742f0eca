/**
 * Fixture of the security suite: a server and a client behind proxies with certificates.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type Backend,
  type ConfigDir,
  type Daemon,
  eventually,
  makeConfigDir,
  startAgent,
  startBackend,
  startDaemon,
  startTcpBackend,
} from "../../../scripts/harness/mod.ts";
import { envoyPath } from "../../../scripts/tools.ts";
import { toYaml } from "../../../lib/kit/text/mod.ts";
import { type Authority, type Certificate, makeAuthority } from "../../support/certificates.ts";
import { documents, manifest, type Spec } from "../../support/manifest.ts";

export const SERVER_NAMESPACE = "shop";

export const CLIENT_NAMESPACE = "web";

/** Address of the server's proxy; its backends are on 127.0.0.1 at the same ports. */
export const SERVER = "127.0.41.1";

/** Address of the client's proxy. */
export const CLIENT = "127.0.41.2";

/** A running world. */
export interface SecurityWorld extends AsyncDisposable {
  readonly config: ConfigDir;
  readonly daemon: Daemon;
  readonly server: Agent;
  readonly client: Agent;
  readonly backend: Backend;
  /** Ports of the server: HTTP and plain TCP. */
  readonly http: number;
  readonly tcp: number;
  readonly authority: Authority;
  /** Certificate of a caller in a namespace, `spiffe://cluster.local/ns/NAMESPACE/sa/NAME`. */
  readonly certificate: (namespace: string, account: string) => Promise<Certificate>;
  /** Puts a new certificate in the place of the server's. */
  readonly renew: () => Promise<void>;
  /** Writes the policies of a case and waits until both proxies have taken them up. */
  readonly apply: (...texts: readonly string[]) => Promise<void>;
}

/** A document of the security group. */
export function policy(
  kind: string,
  name: string,
  spec: Spec,
  more: {
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): string {
  const { namespace = SERVER_NAMESPACE, annotations = {} } = more;
  return toYaml({
    apiVersion: "security.mesh.io/v1",
    kind,
    metadata: { name, namespace, annotations },
    spec,
  });
}

/** An AuthorizationPolicy of the server. */
export function authorization(name: string, spec: Spec): string {
  return policy("AuthorizationPolicy", name, spec);
}

/** Options of the world. */
export interface SecurityOptions {
  /** Path of another Envoy than the pinned one. */
  readonly envoy?: string;
  readonly meshConfig?: Spec;
  readonly env?: Readonly<Record<string, string>>;
  /** Environment of both proxies' agents. */
  readonly agentEnv?: Readonly<Record<string, string>>;
  /** True: the agents name the service accounts of their certificates. */
  readonly accounts?: boolean;
  /** More documents that are always there. */
  readonly services?: readonly string[];
}

export async function startSecurityWorld(options: SecurityOptions = {}): Promise<SecurityWorld> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-security-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const authority = await makeAuthority(dir);
  const certificate = (namespace: string, account: string): Promise<Certificate> =>
    authority.issue(`${namespace}-${account}`, [
      `spiffe://cluster.local/ns/${namespace}/sa/${account}`,
    ]);
  const backend = stack.use(startBackend("shop"));
  const tcp = stack.use(await startTcpBackend("till"));
  const config = stack.use(await makeConfigDir());
  const meshConfig = `${dir}/mesh.yaml`;
  await Deno.writeTextFile(meshConfig, toYaml(options.meshConfig ?? {}));
  await config.write("services.yaml", servicesOf(backend.port, tcp.port, options.services ?? []));
  await config.write("sidecars.yaml", sidecarsOf(backend.port, tcp.port));
  const daemon = stack.use(
    await startDaemon({
      configDir: config.path,
      args: [`--meshConfig=${meshConfig}`],
      env: options.env,
    }),
  );
  const start = async (name: string, namespace: string, ip: string): Promise<Agent> =>
    stack.use(
      await startAgent({
        role: "sidecar",
        name,
        namespace,
        labels: { app: name },
        ip,
        xds: daemon.xds,
        envoy: options.envoy ?? await envoyPath(),
        dir,
        interception: "NONE",
        env: {
          ...filesOf(await certificate(namespace, name), authority),
          ...options.accounts ? { SERVICE_ACCOUNT: name } : {},
          ...options.agentEnv,
        },
        proxyConfig: {
          proxyStatsMatcher: { inclusionRegexps: [".*rbac.*", ".*update_rejected", ".*ssl.*"] },
        },
      }),
    );
  const server = await start("shop", SERVER_NAMESPACE, SERVER);
  const client = await start("web", CLIENT_NAMESPACE, CLIENT);
  let round = 0;
  const parts = stack.move();
  return {
    renew: () => renewServer(authority, dir),
    config,
    daemon,
    server,
    client,
    backend,
    http: backend.port,
    tcp: tcp.port,
    authority,
    certificate,
    apply: (...texts) => applyPolicies(config, [server, client], `round-${++round}.test`, texts),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Replaces the certificate of the server by a new one. */
async function renewServer(authority: Authority, dir: string): Promise<void> {
  const fresh = await authority.issue("renewed", [
    `spiffe://cluster.local/ns/${SERVER_NAMESPACE}/sa/shop`,
  ]);
  await Deno.rename(fresh.key, `${dir}/${SERVER_NAMESPACE}-shop-key.pem`);
  await Deno.rename(fresh.cert, `${dir}/${SERVER_NAMESPACE}-shop.pem`);
}

/**
 * Writes policies, and waits until the proxies have them: a resource named `mark`, which is new each
 * time, shows that a proxy is up to date.
 */
async function applyPolicies(
  config: ConfigDir,
  agents: readonly Agent[],
  mark: string,
  texts: readonly string[],
): Promise<void> {
  const sign = [SERVER_NAMESPACE, CLIENT_NAMESPACE].map((namespace) =>
    manifest("ServiceEntry", "sign", {
      hosts: [mark],
      resolution: "STATIC",
      exportTo: ["."],
      ports: [{ number: 1, name: "tcp", protocol: "TCP" }],
    }, namespace)
  );
  await config.write("policies.yaml", documents(...texts, ...sign));
  for (const agent of agents) {
    await eventually(`${agent.name} to be up to date`, async () => {
      const names = await agent.held("cluster");
      return names.some((name) => name.endsWith(mark));
    });
    const refused = await agent.stats("update_rejected$");
    for (const [name, count] of Object.entries(refused)) {
      assert.equal(count, 0, `${agent.name} ${name}: ${agent.program.output().slice(-2000)}`);
    }
  }
}

/** Node metadata that declares a certificate's files for both sides. */
export function filesOf(own: Certificate, authority: Authority): Record<string, string> {
  return Object.fromEntries(["SERVER", "CLIENT"].flatMap((side) => [
    [`MESH_META_TLS_${side}_CERT_CHAIN`, own.cert],
    [`MESH_META_TLS_${side}_KEY`, own.key],
    [`MESH_META_TLS_${side}_ROOT_CERT`, authority.cert],
  ]));
}

/** The server's services, at the address of its proxy. */
function servicesOf(http: number, tcp: number, more: readonly string[]): string {
  const at = (port: number): Spec[] => [{
    address: SERVER,
    ports: { main: port },
    labels: { app: "shop", "security.mesh.io/tlsMode": "mesh" },
    serviceAccount: "shop",
  }];
  const service = (name: string, number: number, protocol: string): string =>
    manifest("ServiceEntry", name, {
      hosts: [`${name}.test`],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number, protocol, name: "main" }],
      endpoints: at(number),
    }, SERVER_NAMESPACE);
  return documents(
    service("shop", http, "HTTP"),
    service("till", tcp, "TCP"),
    ...more,
  );
}

/** Nothing redirects traffic here: the client's proxy takes calls at its own address, the server's makes none. */
function sidecarsOf(http: number, tcp: number): string {
  const listener = (number: number, protocol: string, bind: string): Spec => ({
    port: { number, protocol, name: protocol.toLowerCase() },
    bind,
    captureMode: "NONE",
    hosts: ["*/*"],
  });
  const client = [listener(http, "HTTP", CLIENT), listener(tcp, "TCP", CLIENT)];
  const server = [listener(9, "TCP", "127.0.41.3")];
  return documents(
    manifest("Sidecar", "web", { egress: client }, CLIENT_NAMESPACE),
    manifest("Sidecar", "shop", { egress: server }, SERVER_NAMESPACE),
  );
}
