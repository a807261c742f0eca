/**
 * A network namespace for a client whose traffic is captured, linked with the machine. Further
 * addresses of the machine on that link are those of pods, whose programs run on the machine.
 *
 * @module
 */
import { redirect, run } from "../../e2e/redirect/network.ts";

/** The link. */
export interface CapturedClient extends AsyncDisposable {
  /** Name of the namespace. */
  readonly space: string;
  /** Address of the client. */
  readonly address: string;
  /** Address of the machine, for the daemon. */
  readonly near: string;
  /** Addresses of pods. */
  readonly pods: readonly string[];
}

/** Net of the link. Each run has a part of it, so that several runs do not meet. */
const PART = Deno.pid % 200 + 20;

/** Makes the namespace. */
export async function captureClient(pods: number): Promise<CapturedClient> {
  const space = `mesh-client-${Deno.pid}`;
  const link = `mc${Deno.pid % 100_000}`;
  const address = `10.94.${PART}.2`;
  const near = `10.94.${PART}.1`;
  const others = Array.from({ length: pods }, (_, i) => `10.94.${PART}.${100 + i}`);
  await using stack = new AsyncDisposableStack();
  await run("ip", "netns", "add", space);
  // The link goes with the namespace.
  stack.defer(() => run("ip", "netns", "del", space).then(() => {}));
  const peer = ["type", "veth", "peer", "name", "eth0", "netns", space];
  await run("ip", "link", "add", link, ...peer);
  for (const one of [near, ...others]) await run("ip", "addr", "add", `${one}/24`, "dev", link);
  await run("ip", "link", "set", link, "up");
  await run("ip", "-n", space, "addr", "add", `${address}/24`, "dev", "eth0");
  for (const one of ["lo", "eth0"]) await run("ip", "-n", space, "link", "set", one, "up");
  await redirect(space, "REDIRECT");
  const all = stack.move();
  return { space, address, near, pods: others, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
