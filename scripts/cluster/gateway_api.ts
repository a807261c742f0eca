/**
 * The Gateway API of one version, through the Go module proxy: its definitions of resources, its
 * conformance suite, and the server that the suite's tests ask. They are kept in the cache of
 * `deno task tools`.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { fromFileUrl, join } from "../paths.ts";
import { cacheDir, HOST, sweepPartial } from "../tools.ts";
import { findGo, type GoBuild, goPrograms, lackingBuild } from "./go.ts";

/** Version of the Gateway API, as in `gateway_api/go.mod`. */
export const GATEWAY_API_VERSION = "1.6.3";

/** Sets of definitions: `experimental` has further kinds and fields. */
export const GATEWAY_API_CHANNELS = ["standard", "experimental"] as const;

/** Name of a set of definitions. */
export type GatewayApiChannel = typeof GATEWAY_API_CHANNELS[number];

const MODULE = "sigs.k8s.io/gateway-api";

const BUILD: GoBuild = {
  module: "gateway_api",
  name: `gateway-conformance-${GATEWAY_API_VERSION}`,
  title: `the conformance suite of the Gateway API ${GATEWAY_API_VERSION}`,
  packages: ["./suite", `${MODULE}/conformance/echo-basic`],
};

/** An own application for the suite's tests of meshes. */
const MESH_ECHO: GoBuild = {
  module: "mesh_echo",
  name: "mesh-echo",
  title: "the application of the conformance suite's tests of meshes",
  packages: ["."],
  output: "mesh_echo",
};

const SUITE_DNS: GoBuild = {
  module: "suite_dns",
  name: "suite-dns",
  title: "the server of DNS of the conformance suite",
  packages: ["."],
  output: "coredns",
};

/** Paths of the suite and of its servers, which are static programs for images. */
export interface GatewayApiPrograms {
  readonly suite: string;
  readonly echoBasic: string;
  /** Server and client of tests of meshes, by the name under which it is called. */
  readonly meshEcho: string;
  /** Server of DNS, which tests of routes of UDP ask. */
  readonly coredns: string;
}

/** The reason why there is no suite, for the names of tests; `undefined` if it was built. */
export function lackingGatewayApiPrograms(): string | undefined {
  const lacking = [BUILD, MESH_ECHO, SUITE_DNS].some((build) => lackingBuild(build) !== undefined);
  return lacking ? "needs `deno task conformance:gateway`" : undefined;
}

/**
 * The suite. It is built if the cache has none, which takes some minutes.
 *
 * @throws MeshError `tools-no-go`, `tools-cluster` with a remedy
 */
export async function gatewayApiPrograms(
  progress: (line: string) => void = HOST.progress,
): Promise<GatewayApiPrograms> {
  const dir = await goPrograms(BUILD, progress);
  const meshEcho = join(await goPrograms(MESH_ECHO, progress), "mesh_echo");
  const coredns = join(await goPrograms(SUITE_DNS, progress), "coredns");
  return { suite: join(dir, "suite"), echoBasic: join(dir, "echo-basic"), meshEcho, coredns };
}

/** The reason why there are no definitions, for the names of tests; `undefined` if they are there. */
export function lackingGatewayApiDefinitions(): string | undefined {
  if (isThere(definitionsDir())) return undefined;
  return findGo() === undefined ? "needs Go" : "needs `deno task tools`";
}

/** Paths of the YAML files with the definitions of a channel, which `deno task tools` has fetched. */
export function gatewayApiDefinitions(channel: GatewayApiChannel): string[] {
  const dir = join(definitionsDir(), channel);
  return [...Deno.readDirSync(dir)].map(({ name }) => join(dir, name)).sort();
}

function definitionsDir(): string {
  return join(cacheDir(HOST), `gateway-api-${GATEWAY_API_VERSION}`);
}

/**
 * Fetches the definitions into the cache if they are missing, and returns their folder.
 *
 * @throws MeshError `tools-no-go`, `tools-gateway-api` with a remedy
 */
export async function fetchGatewayApiDefinitions(): Promise<string> {
  const dir = definitionsDir();
  if (isThere(dir)) return dir;
  const cache = cacheDir(HOST);
  await Deno.mkdir(cache, { recursive: true });
  await sweepPartial(cache);
  const work = await Deno.makeTempDir({ dir: cache, prefix: ".partial-" });
  try {
    const source = await moduleDir();
    for (const channel of GATEWAY_API_CHANNELS) {
      await copyDefinitions(join(source, "config/crd", channel), join(work, channel));
    }
    await Deno.chmod(work, 0o755);
    await Deno.rename(work, dir).catch((cause) => {
      if (!isThere(dir)) throw cause; // else another run was faster
    });
  } finally {
    await Deno.remove(work, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // renamed
    });
  }
  return dir;
}

/** The folder of the module in Go's cache; Go compares its checksum with `go.sum`. */
async function moduleDir(): Promise<string> {
  const go = findGo();
  if (go === undefined) {
    throw new MeshError("tools-no-go", "The Gateway API is fetched with Go.", {
      remedy: "Install Go 1.21 or newer.",
    });
  }
  const { success, stdout, stderr } = await new Deno.Command(go, {
    args: ["mod", "download", "-json", MODULE],
    cwd: fromFileUrl(new URL("./gateway_api", import.meta.url)),
    env: { GOFLAGS: "-mod=readonly", GOWORK: "off" },
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  const said = text.decode(stdout);
  if (success) return (JSON.parse(said) as { readonly Dir: string }).Dir;
  throw new MeshError(
    "tools-gateway-api",
    `go mod download ${MODULE} failed:\n${said}${text.decode(stderr)}`,
    { remedy: "Check that this machine reaches the Go module proxy, then run it again." },
  );
}

/** Copies the files with definitions: no list of files, no admission policy. */
async function copyDefinitions(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name } of Deno.readDir(from)) {
    if (!/^gateway\.networking\.[^_]+_(?!vap_)\w+\.yaml$/.test(name)) continue;
    await Deno.writeFile(join(to, name), await Deno.readFile(join(from, name)));
  }
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Fetches the definitions; with `--suite` also builds the suite. */
async function main(): Promise<void> {
  if (Deno.args.includes("--optional") && findGo() === undefined) return;
  console.log(await fetchGatewayApiDefinitions());
  if (Deno.args.includes("--suite")) console.log((await gatewayApiPrograms()).suite);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`tools: ${error.message}`);
    if (error.remedy !== undefined) console.error(`tools: ${error.remedy}`);
    Deno.exit(1);
  }
}
