/**
 * The programs of a test cluster: etcd, kube-apiserver, kube-controller-manager and kubectl. They are
 * built with Go from the module in `scripts/cluster/programs`, as one file with a link for each
 * name, and kept in the cache of `deno task tools`. The folder's name has the version and a hash of
 * the module, so that a changed module is built again.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { MeshError } from "../../lib/base/mod.ts";
import { fromFileUrl, join } from "../paths.ts";
import { cacheDir, HOST } from "../tools.ts";

/** Version of the programs, as in `go.mod`. */
export const CLUSTER_VERSION = "1.36.3";

const MODULE_DIR = fromFileUrl(new URL("./programs", import.meta.url));
const MODULE_FILES = ["go.mod", "go.sum", "main.go"];
const NAMES = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] as const;
/** Install path of Go's own archive, if Go is not on the PATH. */
const GO_PATHS = ["go", "/usr/local/go/bin/go"];
/** Oldest Go that can fetch the version which the module needs. */
const OLDEST_GO = [1, 21] as const;

/** Paths of the programs. */
export type ClusterPrograms = Readonly<Record<typeof NAMES[number], string>>;

/** The folder that the programs are in once they are built. */
function programsDir(): string {
  const digest = createHash("sha256");
  for (const file of MODULE_FILES) digest.update(Deno.readFileSync(join(MODULE_DIR, file)));
  const id = digest.digest("hex").slice(0, 12);
  return join(cacheDir(HOST), `cluster-${CLUSTER_VERSION}-${id}-${HOST.arch}`);
}

function pathsIn(dir: string): ClusterPrograms {
  return Object.fromEntries(NAMES.map((name) => [name, join(dir, name)])) as ClusterPrograms;
}

/**
 * The reason why tests with a cluster cannot run here, for their names; `undefined` if they can:
 * the programs were built.
 */
export function lackingCluster(): string | undefined {
  try {
    Deno.statSync(join(programsDir(), "kube-apiserver"));
    return undefined;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return findGo() === undefined ? "needs Go" : "needs `deno task tools`";
  }
}

/** The Go command, if it is installed and new enough. */
export function findGo(): string | undefined {
  return GO_PATHS.find((path) => {
    try {
      const { stdout } = new Deno.Command(path, { args: ["version"] }).outputSync();
      const [, major, minor] = /go(\d+)\.(\d+)/.exec(new TextDecoder().decode(stdout)) ?? [];
      return Number(major) === OLDEST_GO[0] && Number(minor) >= OLDEST_GO[1];
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  });
}

/**
 * The programs. They are built if the cache has none, which takes 6 minutes on two cores.
 *
 * @throws MeshError `tools-no-go`, `tools-cluster` with a remedy
 */
export async function clusterPrograms(
  progress: (line: string) => void = HOST.progress,
): Promise<ClusterPrograms> {
  const dir = programsDir();
  if (lackingCluster() === undefined) return pathsIn(dir);
  const go = findGo();
  if (go === undefined) {
    throw new MeshError("tools-no-go", "The programs of a test cluster are built with Go.", {
      remedy: `Install Go ${OLDEST_GO.join(".")} or newer.`,
    });
  }
  const cache = cacheDir(HOST);
  await Deno.mkdir(cache, { recursive: true });
  const work = await Deno.makeTempDir({ dir: cache, prefix: ".partial-" });
  try {
    const started = performance.now();
    progress(`building the programs of a test cluster, version ${CLUSTER_VERSION}, into ${dir}`);
    await build(go, work);
    for (const name of NAMES) await Deno.symlink("programs", join(work, name));
    await Deno.rename(work, dir).catch((cause) => {
      if (lackingCluster() !== undefined) throw cause; // else another run was faster
    });
    progress(`built after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  } finally {
    await Deno.remove(work, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // renamed
    });
  }
  return pathsIn(dir);
}

/** Builds a copy of the module, so that edits of the tree do not disturb it. */
async function build(go: string, work: string): Promise<void> {
  const source = join(work, "source");
  await Deno.mkdir(source);
  for (const file of MODULE_FILES) {
    await Deno.copyFile(join(MODULE_DIR, file), join(source, file));
  }
  const { success, stderr } = await new Deno.Command(go, {
    args: [
      "build",
      "-mod=readonly",
      "-trimpath",
      "-ldflags",
      linkFlags(),
      "-o",
      "../programs",
      ".",
    ],
    cwd: source,
    env: { CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false", GOWORK: "off" },
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) {
    const text = new TextDecoder().decode(stderr).trim().split("\n").slice(-5).join("\n");
    throw new MeshError("tools-cluster", `go build failed:\n${text}`, {
      remedy: "Check that this machine reaches the Go module proxy, then run it again.",
    });
  }
  await Deno.remove(source, { recursive: true });
}

/** Without these variables the programs have no version that clients can read. */
function linkFlags(): string {
  const [major, minor] = CLUSTER_VERSION.split(".");
  const values = {
    gitVersion: `v${CLUSTER_VERSION}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: "clean",
    gitCommit: "0",
    buildDate: "1970-01-01T00:00:00Z",
  };
  const set = Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ["-s", "-w", ...set].join(" ");
}

if (import.meta.main) {
  if (Deno.args.includes("--optional") && findGo() === undefined) {
    console.error(
      "tools: without Go there are no programs of a test cluster; its tests are skipped",
    );
    Deno.exit(0);
  }
  try {
    console.log((await clusterPrograms())["kube-apiserver"]);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`tools: ${error.message}`);
    if (error.remedy !== undefined) console.error(`tools: ${error.remedy}`);
    Deno.exit(1);
  }
}
