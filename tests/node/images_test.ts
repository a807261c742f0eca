/**
 * The images of the programs on a node: they run as users without rights, on a root file system that
 * cannot be written; the agent's one writes rules of interception.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { nodePaths } from "../../scripts/cluster/node/configuration.ts";
import { nodeLayouts } from "../../scripts/cluster/node/layout.ts";
import { nodePrograms } from "../../scripts/cluster/node_programs.ts";
import { eventually } from "../../scripts/harness/mod.ts";
import { sha256Of } from "../../scripts/checksum.ts";
import { baseLayer } from "../../scripts/images/base.ts";
import { IMAGE_NAMES } from "../../scripts/images/contents.ts";
import { writeArchive, writeLayoutOf } from "../../scripts/images/image.ts";
import { keptImages, TEST_TAG } from "../../scripts/images/kept.ts";
import { PLATFORMS } from "../../scripts/images/platforms.ts";
import { makeImages } from "../../scripts/images/task.ts";
import { dirname, join } from "../../scripts/paths.ts";
import { IMAGE_ENDING, makeOffline } from "../../scripts/release/offline.ts";
import { ENVOY_VERSION } from "../../scripts/tools.ts";
import { apply, kubectl, nodeTest, podsReady, temporaryFolder } from "../support/node.ts";

/** Largest archive, in bytes: the runtime, Envoy for the agent, and little else. */
const LARGEST: Readonly<Record<string, number>> = {
  "pilot-discovery": 120e6,
  "pilot-agent": 235e6,
  "install-cni": 130e6,
  "meshctl": 120e6,
};

const image = (program: string): string => `docker.io/mesh/${IMAGE_NAMES[program]}:${TEST_TAG}`;

const RESTRICTED = {
  runAsNonRoot: true,
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
};

/** A pod that runs once; its log is what it printed. */
function once(name: string, image: string, more: Readonly<Record<string, unknown>>): unknown {
  const container = { name: "app", image, imagePullPolicy: "Never", securityContext: RESTRICTED };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { restartPolicy: "Never", containers: [{ ...container, ...more }] },
  };
}

async function logOf(cluster: NodeCluster, name: string): Promise<string> {
  const path = "{.status.phase}";
  const phase = await eventually(`${name} to end`, async () => {
    const text = await kubectl(cluster, ["get", "pod", name, `-o=jsonpath=${path}`]);
    return ["Succeeded", "Failed"].includes(text) && text;
  });
  const log = await kubectl(cluster, ["logs", name]);
  assert.equal(phase, "Succeeded", log);
  return log;
}

nodeTest("images: small, the same each time, and they run on a node", async (cluster, t) => {
  await using folder = await temporaryFolder();
  const archives = await keptImages();
  const programs = Object.keys(archives);
  const { meshctl, ...others } = archives;
  for (const archive of Object.values(others)) await cluster.importImages(archive);
  await t.step("the script of the offline bundle loads images", async () => {
    const both = join(folder.path, "both.tar");
    await writeBoth(both, join(folder.path, "layout"));
    await loadOffline(cluster, { meshctl: meshctl!, both }, folder.path);
  });
  await t.step("a node runs its own part of an image for two platforms", async () => {
    const args = ["PLATFORM=own"];
    await apply(cluster, once("both", BOTH_IMAGE, { args }));
    assert.match(await logOf(cluster, "both"), /^PLATFORM=own$/m);
  });

  await t.step("sizes", async () => {
    assert.deepEqual(programs.sort(), Object.keys(LARGEST).sort());
    for (const program of programs) {
      const { size } = await Deno.stat(archives[program]!);
      assert.ok(size < LARGEST[program]!, `${program}: ${size}`);
    }
  });
  await t.step("a second run gives the same digest", async () => {
    const [again] = await makeImages({
      programs: ["pilot-agent"],
      tag: TEST_TAG,
      into: folder.path,
      isCompressed: false,
      missing: "newer",
    });
    assert.equal(await sha256Of(again!.archive), await sha256Of(archives["pilot-agent"]!));
  });
  await t.step("programs say their version as a user without rights", async () => {
    for (const program of programs) {
      await apply(cluster, once(program, image(program), { args: ["version"] }));
    }
    for (const program of programs) assert.match(await logOf(cluster, program), /version/, program);
  });
  await t.step("the proxy is the one that tests run", async () => {
    const command = ["/usr/local/bin/dataproxy", "--version"];
    await apply(cluster, once("proxy", image("pilot-agent"), { command }));
    assert.match(await logOf(cluster, "proxy"), new RegExp(`/${ENVOY_VERSION}/`));
  });
  await t.step("the daemon becomes ready", async () => {
    await apply(cluster, daemonPod(image("pilot-discovery")));
    await podsReady(cluster, "app=daemon");
  });
  await t.step(
    "rules of interception, by the command and the programs that it starts",
    () => checkRules(cluster, image("pilot-agent")),
  );
});

const BOTH_IMAGE = "docker.io/mesh/both:test";

/** An archive with an image for all platforms, whose program is `env`. */
async function writeBoth(archive: string, layout: string): Promise<void> {
  const config = { Entrypoint: ["/usr/bin/env"], User: "65532:65532" };
  const variants = await Promise.all(PLATFORMS.map(async (platform) => ({
    name: BOTH_IMAGE,
    platform,
    config,
    layers: [await baseLayer("newer", platform)],
  })));
  await writeLayoutOf(variants, layout);
  await writeArchive(layout, archive);
}

/** Packs a bundle with images, unpacks it, and runs its script beside the node's containers. */
async function loadOffline(
  cluster: NodeCluster,
  archives: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const [into, version] = [join(folder, "release"), "0.0.0-test"];
  await Deno.mkdir(into);
  const sums = new Map<string, string>();
  for (const [image, archive] of Object.entries(archives)) {
    const name = `mesh-${image}-${version}${IMAGE_ENDING}`;
    await Deno.symlink(archive, join(into, name));
    sums.set(name, await sha256Of(archive));
  }
  const quiet = { progress: () => {}, leftOut: () => {} };
  const facts = { version, revision: "", status: "", tag: "" };
  const bundle = await makeOffline({ into, facts, created: "", ...quiet }, sums);
  await new Deno.Command("tar", { args: ["-xf", join(into, bundle), "-C", folder] }).output();
  const { ctr } = await nodePrograms();
  for (const [index, node] of cluster.nodes.entries()) {
    const { socket } = nodePaths(cluster.dir, nodeLayouts(cluster.nodes.length)[index]!);
    const env = [`PATH=${dirname(ctr)}:/usr/bin:/bin`, `CONTAINERD_ADDRESS=${socket}`];
    const script = join(folder, `mesh-${version}-offline/load.sh`);
    const { success, stderr } = await cluster.onNode(node, ["env", ...env, script]);
    assert.ok(success, stderr);
  }
}

function daemonPod(image: string): unknown {
  const pod = once("daemon", image, {
    readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 },
  }) as { metadata: Record<string, unknown> };
  return { ...pod, metadata: { ...pod.metadata, labels: { app: "daemon" } } };
}

/** An init container writes the rules; the next one prints what the kernel has. */
async function checkRules(cluster: NodeCluster, image: string): Promise<void> {
  const securityContext = {
    runAsUser: 0,
    capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "NET_RAW"] },
  };
  const container = { image, imagePullPolicy: "Never", securityContext };
  const rules = [
    "-p",
    "15001",
    "-z",
    "15006",
    "-u",
    "1337",
    "-m",
    "REDIRECT",
    "-i",
    "*",
    "-b",
    "*",
  ];
  const init = { ...container, name: "init", args: ["mesh-iptables", ...rules] };
  const show = { ...container, name: "app", command: ["iptables-save"] };
  const metadata = { name: "rules" };
  const spec = { restartPolicy: "Never", initContainers: [init], containers: [show] };
  await apply(cluster, { apiVersion: "v1", kind: "Pod", metadata, spec });
  const log = await logOf(cluster, "rules");
  assert.match(log, /-A MESH_REDIRECT -p tcp -j REDIRECT --to-ports 15001/);
  assert.match(log, /--uid-owner 1337/);
}
