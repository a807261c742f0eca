/**
 * The life of a mesh: the commands of `docs/install.md`, from an empty cluster to an empty cluster, and
 * what the cluster is between them.
 */
import assert from "node:assert/strict";
import { fromFileUrl } from "../../scripts/paths.ts";
import { importMeshImages, meshctl } from "../../scripts/cluster/mesh/install.ts";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { freePort, startCommand } from "../../scripts/harness/mod.ts";
import { objectVersions } from "../support/installation.ts";
import {
  clientOf,
  kubectl,
  nodeTest,
  podsEventually,
  temporaryFolder,
  WORKLOAD_IMAGE,
} from "../support/node.ts";
import { read, SYSTEM } from "../support/node_mesh.ts";

const ROOT = new URL("../../", import.meta.url);
const MAIN = fromFileUrl(new URL("main.ts", ROOT));

/** The application of the page. */
const APP = `
apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  selector: { app: web }
  ports: [{ name: http, port: 80, targetPort: 8080 }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: app
          image: ${WORKLOAD_IMAGE}
          imagePullPolicy: Never
          args: [serve, "8080"]
          readinessProbe: { httpGet: { path: /, port: 8080 }, periodSeconds: 1 }
`;

nodeTest(
  "the commands of the page about installations, from an empty cluster to an empty one",
  async (cluster, t) => {
    await importMeshImages(cluster);
    await using folder = await temporaryFolder();
    const page = await sectionsOfPage();
    const run = await shellFor(cluster, folder.path);
    const runSection = async (name: string): Promise<string> => {
      const commands = page.get(name);
      assert.ok(commands, `the page has no section ${name}`);
      return await run(`${page.get("")}\n${commands}`);
    };
    const before = await objects(cluster);

    await t.step("install", async () => {
      const out = await runSection("Install");
      for (const what of ["Mesh core", "Meshd", "Ingress gateways", "Egress gateways"]) {
        assert.match(out, new RegExp(`✔ ${what} installed`));
      }
      assert.match(out, /✔ Installation complete/);
    });
    await t.step("an application, and requests through the gateway", async () => {
      assert.match(await runSection("An application in the mesh"), /^200$/m);
      assert.equal(await revisionOfPods(cluster), "default");
    });
    const whole = await objects(cluster);
    await t.step("a second revision takes over the namespace", async () => {
      const out = await runSection("Upgrade by a second revision");
      assert.match(out, /^web-\S+\.shop .*meshd-canary-/m);
      assert.equal(await revisionOfPods(cluster), "canary");
    });
    await t.step("the users of the revision are named, and nothing is removed", async () => {
      const args = ["uninstall", "--revision=canary", "--dry-run"];
      const { status, out, err } = await meshctl(cluster, args);
      assert.equal(status, 0, err);
      assert.match(err, /namespaces that are injected by tag prod: shop/);
      assert.match(err, /pods with its proxy, by namespace: shop \(1\)/);
      assert.match(err, /connected proxies \(1\): web-\S+\.shop/);
      assert.match(out, /^- Deployment mesh-system\/meshd-canary$/m);
      await kubectl(cluster, ["get", "deployment", "-n", SYSTEM, "meshd-canary"]);
    });
    await t.step("roll back, and remove the second revision", async () => {
      await runSection("Roll back");
      assert.equal(await revisionOfPods(cluster), "default");
      const left = difference(await objects(cluster), whole);
      // The tag is still there.
      assert.deepEqual(left.filter((name) => !/revision-tag-prod/.test(name)), []);
    });
    await t.step("an image that cannot be pulled", () => missingImage(cluster));
    await t.step("uninstall", async () => {
      await runSection("Uninstall");
      await podsEventually("the objects of before", async () => {
        const left = difference(await objects(cluster), before);
        if (left.length > 0) throw new Error(left.join("\n"));
        return true;
      });
    });
  },
);

/** Begins an installation whose image does not exist; Ctrl-C ends it once the reason was said. */
async function missingImage(cluster: NodeCluster): Promise<void> {
  const args = ["install", "-y", "--revision=bad", "--set=profile=minimal", "--set=tag=none"];
  const policy = "--set=values.global.imagePullPolicy=Never";
  const all = ["run", "-A", "-q", MAIN, "meshctl", ...args, policy, "-c", cluster.kubeconfig];
  await using program = startCommand(Deno.execPath(), all);
  await program.printed(
    /Deployment mesh-system\/meshd-bad: Pod \S+: the image \S+:none of container /,
  );
  program.kill("SIGINT");
  await program.printed(/interrupted: \d+ of \d+ objects were applied/);
  const { status, out, err } = await meshctl(cluster, ["uninstall", "-y", "--revision=bad"]);
  assert.equal(status, 0, err);
  assert.match(out, /✔ Uninstall complete/);
}

async function objects(cluster: NodeCluster): Promise<string[]> {
  using client = await clientOf(cluster);
  const names = [...(await objectVersions(client)).keys()];
  // Pods and what makes them have new names after each restart.
  return names.filter((name) =>
    !/^(pods|replicasets|leases|certificatesigningrequests|podmetrics)\./.test(name)
  );
}

function difference(all: readonly string[], without: readonly string[]): string[] {
  return all.filter((name) => !without.includes(name));
}

/** The revision of the application's proxies. */
function revisionOfPods(cluster: NodeCluster): Promise<string> {
  return podsEventually("pods of one revision", async () => {
    const path = "{.items[*].metadata.annotations['sidecar\\.mesh\\.io/status']}";
    const text = await read(cluster, "shop", "pods -l=app=web", path);
    // Several pods give several texts, which are no JSON together.
    return JSON.parse(text).revision as string;
  });
}

/** Commands by section; those before the first section have no name. */
async function sectionsOfPage(): Promise<Map<string, string>> {
  const page = await Deno.readTextFile(new URL("docs/install.md", ROOT));
  const [first = "", ...sections] = page.split(/^## /m);
  const commands = (text: string): string =>
    [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join("");
  return new Map([
    ["", commands(first)],
    ...sections.map((text) => [text.split("\n", 1)[0]!, commands(text)] as const),
  ]);
}

/** A shell in which the commands of the page work. */
async function shellFor(
  { kubeconfig }: NodeCluster,
  folder: string,
): Promise<(script: string) => Promise<string>> {
  const port = freePort();
  const program = `#!/bin/sh\nexec ${Deno.execPath()} run -A -q ${MAIN} meshctl "$@"\n`;
  await Deno.writeTextFile(`${folder}/meshctl`, program, { mode: 0o755 });
  await Deno.writeTextFile(`${folder}/app.yaml`, APP);
  const bin = kubeconfig.replace(/[^/]*$/, "bin");
  return async (script) => {
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-ec", script.replaceAll("8080", String(port))],
      env: {
        PATH: `${folder}:${bin}:${Deno.env.get("PATH")}`,
        KUBECONFIG: kubeconfig,
        APP: `${folder}/app.yaml`,
      },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    const [out, err] = [decoder.decode(stdout), decoder.decode(stderr)];
    assert.ok(success, `${script}\n${out}${err}`);
    return out + err;
  };
}
