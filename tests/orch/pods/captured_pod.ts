/**
 * Pods without a kubelet whose traffic the kernel redirects to their proxies: network namespaces on one
 * bridge, which the machine is on, too.
 *
 * @module
 */
import { PROXY_GROUP, redirect, run } from "../../e2e/redirect/network.ts";
import { program, start } from "../../e2e/redirect/programs.ts";
import type { ProxyOptions } from "./proxy.ts";

/** Net of the pods. Each run has a part of it, so that several runs do not meet. */
const PART = Deno.pid % 200 + 20;

/** A bridge that pods are on; its end deletes it. */
export interface Bridge extends AsyncDisposable {
  readonly name: string;
  /** Address of the machine. */
  readonly address: string;
}

/** A running pod; its end deletes the namespace. */
export interface CapturedPod extends AsyncDisposable {
  readonly name: string;
  /** Name of its network namespace. */
  readonly space: string;
  readonly address: string;
}

export async function makeBridge(): Promise<Bridge> {
  const name = `mb${Deno.pid % 100_000}`;
  const address = `10.98.${PART}.254`;
  await run("ip", "link", "add", name, "type", "bridge");
  const dispose = () => run("ip", "link", "del", name).then(() => {});
  try {
    await run("ip", "addr", "add", `${address}/24`, "dev", name);
    await run("ip", "link", "set", name, "up");
  } catch (e) {
    await dispose();
    throw e;
  }
  return { name, address, [Symbol.asyncDispose]: dispose };
}

/** The programs of a pod. */
export interface CapturedPodOptions {
  readonly name: string;
  /** The last byte of its address, 1 to 99. */
  readonly number: number;
  /** Listeners of its server, such as `http:8080`; none: it has no server. */
  readonly serves: readonly string[];
  /** Its proxy; unset: it has none, and nothing is redirected. */
  readonly proxy?: Omit<ProxyOptions, "name" | "ip">;
}

/** Starts a pod. Its server answers with its name. */
export async function startCapturedPod(
  bridge: Bridge,
  { name, number, serves, proxy }: CapturedPodOptions,
): Promise<CapturedPod> {
  const space = `mesh-captured-${Deno.pid}-${number}`;
  const link = `mc${Deno.pid % 100_000}-${number}`;
  const address = `10.98.${PART}.${number}`;
  await using stack = new AsyncDisposableStack();
  await run("ip", "netns", "add", space);
  // The link goes with the namespace.
  stack.defer(() => run("ip", "netns", "del", space).then(() => {}));
  await run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space);
  await run("ip", "link", "set", link, "master", bridge.name, "up");
  await run("ip", "-n", space, "addr", "add", `${address}/24`, "dev", "eth0");
  for (const one of ["lo", "eth0"]) await run("ip", "-n", space, "link", "set", one, "up");
  // Virtual addresses of Services lie beyond the machine.
  await run("ip", "-n", space, "route", "add", "default", "via", bridge.address);
  if (serves.length > 0) {
    const listeners = serves.map((spec) => spec.replace(":", ":0.0.0.0:"));
    stack.use(await start(space, [program("serve"), name, ...listeners]));
  }
  if (proxy !== undefined) {
    await redirect(space, "REDIRECT");
    const options: ProxyOptions = { ...proxy, name, ip: address };
    const path = new URL("./proxy.ts", import.meta.url).pathname;
    stack.use(await start(space, [path, JSON.stringify(options)], PROXY_GROUP));
  }
  const all = stack.move();
  return { name, space, address, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
