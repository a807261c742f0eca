/**
 * Agent and Envoy of a pod, as a program: `proxy.ts OPTIONS`, in JSON. It prints `ready`, and ends with
 * its input.
 *
 * @module
 */
import { connect, createServer } from "node:net";
import { startCertifiedAgent } from "../../support/identity.ts";

/** Options of the program. */
export interface ProxyOptions {
  /** Name of the pod and of its service account. */
  readonly name: string;
  readonly namespace: string;
  readonly ip: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Token of the service account. */
  readonly token: string;
  /** Root of the daemon, PEM. */
  readonly root: string;
  /** Folder for files. */
  readonly dir: string;
  /** Address and port of the daemon's secured listener. */
  readonly daemon: { readonly address: string; readonly port: number };
}

/** A port of loopback that leads to the daemon, whose certificate names `localhost`. */
async function toDaemon({ address, port }: ProxyOptions["daemon"]): Promise<number> {
  const server = createServer((near) => {
    const far = connect({ host: address, port });
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}

async function main(options: ProxyOptions): Promise<void> {
  const { token, root, dir, daemon, ...agent } = options;
  const issuer = { token: () => Promise.resolve(token) };
  const xds = `localhost:${await toDaemon(daemon)}`;
  {
    await using _agent = await startCertifiedAgent({ issuer, root, dir, xds }, {
      ...agent,
      role: "sidecar",
      interception: "REDIRECT",
    });
    console.log("ready");
    for await (const _ of Deno.stdin.readable) { /* Until it ends. */ }
  }
  // Connections to the daemon may be open still.
  Deno.exit(0);
}

if (import.meta.main) await main(JSON.parse(Deno.args[0] ?? "{}"));
