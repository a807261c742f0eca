/**
 * The mesh in a cluster with nodes: its images are imported, and `meshctl install` installs it as users
 * do.
 *
 * @module
 */
import { MeshError } from "../../../lib/kit/base/mod.ts";
import { keptImages, TEST_TAG } from "../../images/kept.ts";
import { programWords } from "../../harness/process.ts";
import type { NodeCluster } from "../node/running.ts";

/** The namespace of the daemon. */
export const SYSTEM = "mesh-system";

/** Settings of installations whose images are imported: nodes of tests have no registry. */
export const IMPORTED: readonly string[] = [
  "--set=hub=docker.io/mesh",
  `--set=tag=${TEST_TAG}`,
  "--set=values.global.imagePullPolicy=Never",
];

/** The end of a program: its status and its output. */
export interface MeshctlResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `meshctl` with a cluster. */
export async function meshctl(
  { kubeconfig }: Pick<NodeCluster, "kubeconfig">,
  args: readonly string[],
): Promise<MeshctlResult> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [...programWords("meshctl"), ...args, "-c", kubeconfig],
    stdin: "null",
  });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { status: code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

/** Makes the images if they are missing, and imports those of programs; default: of the daemon and the proxy. */
export async function importMeshImages(
  cluster: NodeCluster,
  progress: (line: string) => void = () => {},
  programs: readonly string[] = ["pilot-discovery", "pilot-agent"],
): Promise<void> {
  const images = await keptImages(progress);
  progress(`importing the images of ${programs.join(", ")}`);
  await Promise.all(programs.map((program) => cluster.importImages(images[program]!)));
}

/**
 * Installs the control plane and waits until it is ready.
 *
 * @param progress is told each step
 */
export async function installMesh(
  cluster: NodeCluster,
  progress: (line: string) => void = () => {},
): Promise<void> {
  await importMeshImages(cluster, progress);
  const args = ["install", "-y", "--set=profile=minimal", ...IMPORTED];
  progress(`meshctl ${args.join(" ")}`);
  const { status, out, err } = await meshctl(cluster, args);
  if (status !== 0) throw new MeshError("install", `meshctl install: ${out}${err}`);
}
