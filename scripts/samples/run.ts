/**
 * Starts a sample: backends, the daemon with the sample's folder, proxies.
 *
 * @module
 */
import { connect } from "node:net";
import {
  type Agent,
  type Daemon,
  eventually,
  startAgent,
  startBackend,
  startDaemon,
} from "../harness/mod.ts";
import { envoyPath } from "../tools.ts";
import type { Sample } from "./table.ts";

export interface RunningSample extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly agents: readonly Agent[];
}

/** Options of {@link startSample}. */
export interface SampleOptions {
  /** The folder with the configuration. */
  readonly dir: string;
  /** The port to use for a port of the sample. */
  readonly port?: (written: number) => number;
}

/** Starts a sample and waits until its proxies listen. */
export async function startSample(
  sample: Sample,
  { dir, port = (written) => written }: SampleOptions,
): Promise<RunningSample> {
  await using stack = new AsyncDisposableStack();
  const work = await Deno.makeTempDir({ prefix: "mesh-sample-" });
  stack.defer(() => Deno.remove(work, { recursive: true }));
  for (const [name, written] of Object.entries(sample.backends)) {
    stack.use(startBackend(name, "127.0.0.1", port(written)));
  }
  const env = sample.hasCertificate
    ? { MESH_CREDENTIAL_DIR: await makeCertificate(dir, work), MESH_CREDENTIAL_ANONYMOUS: "true" }
    : undefined;
  const daemon = stack.use(await startDaemon({ configDir: dir, env }));
  const envoy = await envoyPath();
  const started = await Promise.allSettled(sample.proxies.map(async (proxy) =>
    stack.use(
      await startAgent({
        ...proxy,
        namespace: "demo",
        xds: daemon.xds,
        envoy,
        dir: work,
        interception: "NONE",
        noWait: true,
      }),
    )
  ));
  const agents = started.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  for (const written of sample.listeners) {
    await eventually(`a proxy to listen at ${port(written)}`, () => isOpen(port(written)));
  }
  const parts = stack.move();
  return { daemon, agents, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

async function makeCertificate(dir: string, work: string): Promise<string> {
  const into = `${work}/credentials`;
  const command = new Deno.Command("sh", {
    args: [`${dir}/certificate.sh`, into],
    stdout: "null",
    stderr: "piped",
  });
  const { success, stderr } = await command.output();
  if (!success) throw new Error(`certificate.sh failed:\n${new TextDecoder().decode(stderr)}`);
  return into;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.on("connect", () => end(true));
    socket.on("error", () => end(false));
  });
}
