import { MeshError, messageOf, printable } from "../../kit/base/mod.ts";
import { type Invocation, usageError } from "../../kit/cli/mod.ts";
import { forwardPort } from "../../kit/orch/mod.ts";
import { type ClusterAccess, openCluster } from "./access.ts";
import { type Pod, podId, podNamed, podsOf } from "./pods.ts";

/** A page in a pod. */
export interface DashboardPage {
  /** Name of the program, in messages. */
  readonly title: string;
  /** Labels of its pods in the namespace of the mesh; absent: a pod is named or selected. */
  readonly labels?: string;
  /** True: pods are looked for in the namespace of the mesh. */
  readonly ofMesh?: boolean;
  /** The port: a number, or the flag that has it. */
  readonly port: number | "ui-port" | "ctrlz_port";
  readonly path?: string;
}

/** Forwards a local port to a page, opens it in a browser, and keeps the port until a signal. */
export async function showDashboard(call: Invocation, page: DashboardPage): Promise<number> {
  const { flags, io, signal } = call;
  const port = typeof page.port === "number" ? page.port : flags.number(page.port);
  using cluster = await openCluster(call);
  const { metadata: { name, namespace = "" } } = await podOf(call, cluster, page);
  const address = flags.string("address");
  const hosts = address === "localhost" ? ["127.0.0.1", "::1"] : [address];
  let forward;
  try {
    forward = await forwardPort({
      access: cluster.access,
      pod: { namespace, name },
      port,
      hosts,
      localPort: flags.number("port"),
      signal,
    });
  } catch (cause) {
    if (cause instanceof MeshError || signal.aborted) throw cause;
    const at = printable(`${address}:${flags.number("port")}`);
    throw new MeshError("dashboard-address", `cannot listen on ${at}: ${messageOf(cause)}`, {
      remedy: "Use another --address or --port; --port 0 takes a free one.",
    });
  }
  await using _ = forward;
  const host = address.includes(":") ? `[${address}]` : address;
  const url = `http://${host}:${forward.port}${page.path ?? ""}`;
  io.out(`${url}\n`);
  if (!flags.bool("browser")) io.out("skipping opening a browser\n");
  else await openBrowser(url).catch(() => io.err("No browser could be opened; open the URL.\n"));
  await ended(signal);
  return 0;
}

async function podOf(
  call: Invocation,
  cluster: ClusterAccess,
  { title, labels, ofMesh }: DashboardPage,
): Promise<Pod> {
  const { flags, io, args: [name] } = call;
  const selector = labels ?? flags.string("selector");
  if (name !== undefined && selector !== "") {
    throw usageError("name cannot be provided when a selector is specified");
  }
  const namespace = (labels !== undefined || ofMesh === true) && flags.string("namespace") === ""
    ? cluster.meshNamespace
    : cluster.namespace;
  if (name !== undefined) return await podNamed({ ...cluster, namespace }, name);
  if (selector === "") throw usageError("specify a pod or --selector");
  const revision = flags.has("revision") ? flags.string("revision") : "";
  const labelSelector = revision === "" ? selector : `${selector},mesh.io/rev=${revision}`;
  const [first, ...others] = await podsOf(cluster, { namespace, labelSelector });
  if (first === undefined) {
    throw new MeshError("pod-unknown", printable(`no ${title} pods found in ${namespace}`), {
      remedy: `Its labels must be ${
        printable(labelSelector)
      }; --namespace names another namespace.`,
    });
  }
  if (others.length > 0) {
    io.err(printable(`Warning: ${others.length + 1} pods match; ${podId(first)} is used`) + "\n");
  }
  return first;
}

/** Opens the browser of the desktop. */
async function openBrowser(url: string): Promise<void> {
  const program = Deno.build.os === "darwin" ? "open" : "xdg-open";
  const { success } = await new Deno.Command(program, {
    args: [url],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  if (!success) throw new Error(`${program} failed`);
}

/** Resolves when the signal is aborted. */
function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
