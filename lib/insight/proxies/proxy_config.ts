/**
 * The sub-commands of `proxy-config` that show a part of a proxy.
 *
 * @module
 */
import { dataError, EXIT_FAILURE, type FlagValues, type Invocation } from "../../kit/cli/mod.ts";
import {
  assignmentsOf,
  assignmentTable,
  bootstrapOf,
  bootstrapText,
  clustersOf,
  clusterTable,
  type Dump,
  ecdsOf,
  ecdsTable,
  hostsOf,
  hostTable,
  listenersOf,
  listenerTable,
  rootsAnswer,
  rootsOf,
  routesOf,
  routeTable,
  secretsDocument,
  secretsOf,
  secretTable,
} from "../config_dump/mod.ts";
import { CLUSTERS, dumpOf, isUrl, proxyDump, readDump } from "./dump_source.ts";
import { print } from "./output.ts";

/** Prints a part of a dump. */
type Part = (call: Invocation, dump: Dump) => void | Promise<void>;

const form = ({ flags }: Invocation): string => flags.string("output");

const clusterFilter = (flags: FlagValues) => ({
  fqdn: flags.string("fqdn"),
  direction: flags.string("direction"),
  subset: flags.string("subset"),
  port: flags.number("port"),
});
const listenerFilter = (flags: FlagValues) => ({
  address: flags.string("address"),
  port: flags.number("port"),
  type: flags.string("type"),
});
const endpointFilter = (flags: FlagValues) => ({
  address: flags.string("address"),
  port: flags.number("port"),
  cluster: flags.string("cluster"),
  status: flags.string("status"),
});

const PARTS: Readonly<Record<string, Part>> = {
  bootstrap: (call, dump) => {
    const section = bootstrapOf(dump);
    if (section === undefined) {
      throw dataError(
        `${dump.origin} has no bootstrap section`,
        "A daemon does not know it; use --file with the URL of the proxy's admin page.",
      );
    }
    if (form(call) === "short") call.io.out(bootstrapText(section));
    else print(call.io, form(call), section, () => ({ head: [], rows: [] }));
  },
  cluster: (call, dump) => {
    const clusters = clustersOf(dump, clusterFilter(call.flags));
    print(call.io, form(call), clusters, () => clusterTable(clusters));
  },
  listener: (call, dump) => {
    const listeners = listenersOf(dump, listenerFilter(call.flags));
    const brief = !call.flags.bool("verbose");
    print(call.io, form(call), listeners, () => listenerTable(listeners, brief));
  },
  route: (call, dump) => {
    const routes = routesOf(dump, call.flags.string("name"));
    const brief = !call.flags.bool("verbose");
    print(call.io, form(call), routes, () => routeTable(routes, brief));
  },
  secret: async (call, dump) => {
    const { certificateFacts } = await import("./certificates.ts");
    const secrets = secretsOf(dump);
    print(call.io, form(call), secretsDocument(dump), () =>
      secretTable(secrets, {
        read: certificateFacts,
        now: Date.now(),
        timeText: (time) => new Date(time).toISOString().replace(".000Z", "Z"),
      }));
  },
  eds: (call, dump) => {
    const assignments = assignmentsOf(dump, endpointFilter(call.flags));
    print(call.io, form(call), assignments, () => assignmentTable(assignments));
  },
  endpoint: (call, dump) => {
    if (dump.value.clusterStatuses === undefined) {
      throw dataError(
        `${dump.origin} has no state of endpoints`,
        "It is in the answer of /clusters?format=json; `meshctl proxy-config eds` shows config dumps.",
      );
    }
    const hosts = hostsOf(dump, endpointFilter(call.flags));
    print(call.io, form(call), hosts, () => hostTable(hosts));
  },
  ecds: (call, dump) => {
    const section = ecdsOf(dump);
    print(call.io, form(call), section, () => ecdsTable(section));
  },
};

/** Prints one part. */
export async function showPart(call: Invocation, part: string): Promise<number> {
  const dump = await dumpOf(call, part === "endpoint" ? CLUSTERS : undefined);
  await PARTS[part]?.(call, dump);
  return 0;
}

/** Prints all parts, or with another form than the short one the whole dump. */
export async function showAll(call: Invocation): Promise<number> {
  const dump = await dumpOf(call);
  if (form(call) !== "short") {
    print(call.io, form(call), dump.value, () => ({ head: [], rows: [] }));
    return 0;
  }
  const hasBootstrap = bootstrapOf(dump) !== undefined;
  const parts = [
    ...hasBootstrap ? ["bootstrap"] : [],
    "cluster",
    "listener",
    "route",
    "secret",
    "eds",
  ];
  for (const [at, part] of parts.entries()) {
    if (at > 0) call.io.out("\n");
    await PARTS[part]?.(call, dump);
  }
  return 0;
}

/** Compares the trusted roots of two proxies, which are named by file, URL or name. */
export async function compareRoots(call: Invocation): Promise<number> {
  const [first = "", second = ""] = call.args;
  const sides = [];
  for (const name of [first, second]) {
    const isFile = isUrl(name) || await exists(name);
    const dump = isFile ? await readDump(call, name) : await proxyDump(call, name);
    const roots = rootsOf(dump);
    if (roots.length === 0) {
      throw dataError(
        `${dump.origin} has no secret ROOTCA`,
        "The proxy has no certificates of the mesh, or the dump is not the proxy's own.",
      );
    }
    sides.push({ name, roots });
  }
  const [one, other] = sides;
  if (one === undefined || other === undefined) return EXIT_FAILURE;
  const { same, text } = rootsAnswer(one, other);
  if (same) call.io.out(`${text}\n`);
  else call.io.err(`Error: ${text}\n`);
  return same ? 0 : EXIT_FAILURE;
}

async function exists(file: string): Promise<boolean> {
  return await Deno.stat(file).then(({ isFile }) => isFile, () => false);
}
