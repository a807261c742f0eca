/**
 * A pod without a kubelet: a small backend in a network namespace of its own, which the machine
 * reaches at the pod's address.
 *
 * @module
 */
import { missing, run } from "../../e2e/redirect/network.ts";
import { start } from "../../e2e/redirect/programs.ts";

/** A running pod; its end deletes the namespace. */
export interface Pod extends AsyncDisposable {
  readonly name: string;
  readonly version: string;
  readonly address: string;
  /** Address of the machine at its end of the pod's link. */
  readonly near: string;
}

/** The reason why pods cannot run here; `undefined` if they can. */
export const missingForPods: () => string | undefined = missing;

/** Net of the pods. Each run has a part of it, so that several runs do not meet. */
const PART = Deno.pid % 200 + 20;

/** Starts a pod whose backend answers with the pod's name. */
export async function startPod({ number, version, port }: {
  readonly number: number;
  readonly version: string;
  readonly port: number;
}): Promise<Pod> {
  const name = `web-${number}`;
  const space = `mesh-pod-${Deno.pid}-${number}`;
  const link = `mp${Deno.pid % 100_000}-${number}`;
  const [near, address] = [`10.97.${PART}.${100 + number}`, `10.97.${PART}.${number}`];
  await using stack = new AsyncDisposableStack();
  await run("ip", "netns", "add", space);
  // The link goes with the namespace.
  stack.defer(() => run("ip", "netns", "del", space).then(() => {}));
  const peer = ["type", "veth", "peer", "name", "eth0", "netns", space];
  await run("ip", "link", "add", link, ...peer);
  await run("ip", "addr", "add", near, "peer", address, "dev", link);
  await run("ip", "link", "set", link, "up");
  await run("ip", "-n", space, "addr", "add", address, "peer", near, "dev", "eth0");
  for (const one of ["lo", "eth0"]) await run("ip", "-n", space, "link", "set", one, "up");
  const program = new URL("./backend.ts", import.meta.url).pathname;
  stack.use(await start(space, [program, name, address, `${port}`]));
  const all = stack.move();
  return { name, version, address, near, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
