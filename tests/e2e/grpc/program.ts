/**
 * Starts gRPC peer programs and sends them commands.
 *
 * @module
 */

import { eventually } from "../../../scripts/harness/mod.ts";

/** Calls to make, one after the other. */
export interface Calls {
  /** `xds:///HOST:PORT`. */
  readonly target: string;
  readonly count: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the mesh says if the connection is encrypted. */
  readonly mesh?: boolean;
  /** That the program itself sets for each call; 5 s. */
  readonly deadlineMs?: number;
}

/** Answers, or names of status codes, by how often they came. */
export type Counts = Readonly<Record<string, number>>;

/** A running peer. */
export interface Peer extends AsyncDisposable {
  /** Makes calls; clients only. */
  call(calls: Calls): Promise<Counts>;
  output(): string;
}

/** Options of a peer's bootstrap. */
export interface PeerOptions {
  /** Takes the place of everything else. */
  readonly bootstrap?: string;
  /** `host:port` of the daemon. */
  readonly xds: string;
  readonly namespace: string;
  readonly ip: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly locality?: { readonly region: string; readonly zone: string };
  /** Files of the peer's certificate. */
  readonly certificate?: { readonly chain: string; readonly key: string; readonly root: string };
}

function bootstrap({ xds, namespace, ip, labels, locality, certificate }: PeerOptions): string {
  const id = `sidecar~${ip}~peer.${namespace}~${namespace}.svc.cluster.local`;
  return JSON.stringify({
    xds_servers: [{
      server_uri: xds,
      channel_creds: [{ type: "insecure" }],
      server_features: ["xds_v3"],
    }],
    node: {
      id,
      metadata: { GENERATOR: "grpc", NAMESPACE: namespace, LABELS: labels ?? {} },
      locality: locality ?? {},
    },
    server_listener_resource_name_template: "xds.mesh.io/grpc/lds/inbound/%s",
    certificate_providers: certificate && {
      default: {
        plugin_name: "file_watcher",
        config: {
          certificate_file: certificate.chain,
          private_key_file: certificate.key,
          ca_certificate_file: certificate.root,
          refresh_interval: "1s",
        },
      },
    },
  });
}

/** Maximum number of restarts of a client. */
const RESTARTS = 3;

/**
 * Starts a peer and waits until it says that it is ready. A client that ends by itself is started
 * again, and what it left on standard error is shown: now and then the runtime aborts one that has
 * certificates. Such aborts are known of its HTTP/2 library when a server says that it goes away,
 * which the library's servers do when their rules change. What is tested is what becomes of calls,
 * whichever process makes them.
 */
export async function startPeer(options: PeerOptions, args: readonly string[]): Promise<Peer> {
  let peer = await startProcess(options, args);
  let left = RESTARTS;
  return {
    async call(calls) {
      for (;;) {
        try {
          return await peer.call(calls);
        } catch (error) {
          if (left-- === 0) throw error;
          await peer[Symbol.asyncDispose]();
          console.warn("a gRPC client ended and is started again:", await peer.ended(), error);
          peer = await startProcess(options, args);
        }
      }
    },
    output: () => peer.output(),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

interface PeerProcess extends Peer {
  /** Resolves with its exit status. */
  ended(): Promise<Deno.CommandStatus>;
}

async function startProcess(options: PeerOptions, args: readonly string[]): Promise<PeerProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", new URL("peer.ts", import.meta.url).pathname, ...args],
    env: {
      GRPC_XDS_BOOTSTRAP_CONFIG: options.bootstrap ?? bootstrap(options),
      // This version of the library enables access control in servers only with this variable.
      GRPC_XDS_EXPERIMENTAL_RBAC: "true",
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let errors = "";
  const reading = child.stderr.pipeThrough(new TextDecoderStream())
    .pipeTo(new WritableStream({ write: (text) => void (errors += text) }));
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const commands = child.stdin.getWriter();
  let buffered = "";
  const line = async (): Promise<string> => {
    for (;;) {
      const end = buffered.indexOf("\n");
      if (end >= 0) {
        const first = buffered.slice(0, end);
        buffered = buffered.slice(end + 1);
        return first;
      }
      const { value, done } = await lines.read();
      if (done) throw new Error(`the peer ended:\n${errors}`);
      buffered += value;
    }
  };
  if (JSON.parse(await line()) !== "ready") throw new Error("the peer is not ready");
  return {
    async call(calls) {
      await commands.write(new TextEncoder().encode(`${JSON.stringify(calls)}\n`));
      return JSON.parse(await line()) as Counts;
    },
    output: () => errors,
    ended: () => child.status,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It ended by itself, and what waits for it says so.
      }
      await child.status;
      await commands.abort().catch(() => {});
      await lines.cancel().catch(() => {});
      await reading;
    },
  };
}

/** Waits until calls come out as expected: configuration travels. */
export async function comes(
  client: Peer,
  calls: Calls,
  what: string,
  good: (counts: Counts) => boolean,
): Promise<void> {
  let last: Counts = {};
  await eventually(what, async () => {
    last = await client.call(calls);
    return good(last);
  }, 20_000).catch((e) => {
    throw new Error(`${what}: ${JSON.stringify(last)}\n${client.output()}`, { cause: e });
  });
}
