/**
 * The life of a mesh: the commands of `docs/install.md`, from an empty cluster to an empty cluster, and
 * what the cluster is between them.
 */
import assert from "node:assert/strict";
import { isOnPath } from "../../scripts/paths.ts";
import { importMeshImages, meshctl } from "../../scripts/cluster/mesh/install.ts";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { objectVersions } from "../support/installation.ts";
import { type Load, loadDeployment, loadsRun, withoutFailure } from "../support/load.ts";
import {
  apply,
  clientOf,
  kubectl,
  nodeTest,
  podsEventually,
  temporaryFolder,
  WORKLOAD_IMAGE,
} from "../support/node.ts";
import { injectedNamespace, read, SYSTEM } from "../support/node_mesh.ts";
import { missingImage } from "./install/missing_image.ts";
import { sectionsOfPage, shellFor } from "./install/page.ts";
import { meshIsScraped } from "./install/scraping.ts";

const hasPrometheus = isOnPath("prometheus");

/**
 * The application of the page. It serves until its clients know of its end: a server that closes its port
 * as soon as it is asked to end refuses the requests that are on their way, with or without a mesh.
 */
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
          lifecycle: { preStop: { sleep: { seconds: 10 } } }
`;

nodeTest(
  "the commands of the page about installations, from an empty cluster to an empty one",
  async (cluster, t) => {
    await importMeshImages(cluster);
    await using folder = await temporaryFolder();
    const page = await sectionsOfPage();
    const run = await shellFor(cluster, folder.path, APP);
    const runSection = async (name: string, what = /$/, by = ""): Promise<string> => {
      const commands = page.get(name);
      assert.ok(commands, `the page has no section ${name}`);
      return await run(`${page.get("")}\n${commands.replace(what, by)}`);
    };
    /** No request of the clients fails until the former pods have ended. */
    const runUnderLoad = (name: string): Promise<string> =>
      withoutFailure(cluster, LOADS, async () => {
        const out = await runSection(name);
        await formerPodsGone(cluster);
        return out;
      });
    const before = await objects(cluster);
    const start = performance.now();

    await t.step("install", async () => {
      const out = await runSection("Install", /^meshctl install /m, "$&--verbose ");
      const [, timeLine] = /^Time line:\n((?: {2}.*\n)+)/m.exec(out) ?? [];
      assert.match(timeLine ?? "", /^ {2}Meshd: ready \d/m, out);
      console.log(timeLine);
      for (const what of ["Mesh core", "Meshd", "Ingress gateways", "Egress gateways"]) {
        assert.match(out, new RegExp(`✔ ${what} installed`));
      }
      assert.match(out, /✔ Installation complete/);
    });
    await t.step("an application, and requests through the gateway", async () => {
      assert.match(await runSection("An application in the mesh"), /^200$/m);
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`first request through injected pods ${seconds} s after the start`);
      assert.equal(await revisionOfPods(cluster), "default");
    });
    await t.step({
      name: "a Prometheus finds and scrapes all parts" +
        (hasPrometheus ? "" : " [needs prometheus]"),
      ignore: !hasPrometheus,
      fn: () => meshIsScraped(cluster),
    });
    await t.step("clients that request all the time", () => startClients(cluster));
    const whole = await objects(cluster);
    await t.step("a second revision takes over the namespace, no request fails", async () => {
      const out = await runUnderLoad("Upgrade by a second revision");
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
    await t.step("roll back, and remove the second revision, no request fails", async () => {
      await runUnderLoad("Roll back");
      assert.equal(await revisionOfPods(cluster), "default");
      const left = difference(await objects(cluster), whole);
      // The tag is still there.
      assert.deepEqual(left.filter((name) => !/revision-tag-prod/.test(name)), []);
    });
    await t.step("the end of the clients", () => removeClients(cluster));
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

/** Clients that request all the time: one in the mesh, and one that comes through the gateway. */
const LOADS: readonly Load[] = [
  { name: "inner", namespace: "clients", url: "http://web.shop/" },
  { name: "outer", namespace: "default", url: "http://mesh-ingressgateway.mesh-system/" },
];

async function startClients(cluster: NodeCluster): Promise<void> {
  await injectedNamespace(cluster, "clients");
  await apply(cluster, ...LOADS.map(loadDeployment));
  await loadsRun(cluster, LOADS);
}

async function removeClients(cluster: NodeCluster): Promise<void> {
  for (const { name, namespace } of LOADS) {
    await kubectl(cluster, ["delete", "-n", namespace, "deployment", `load-${name}`]);
  }
  await kubectl(cluster, ["delete", "namespace", "clients"]);
}

/** Pods that end have ended. */
async function formerPodsGone(cluster: NodeCluster): Promise<void> {
  await podsEventually("the former pods to be gone", async () => {
    const path = "{.items[*].metadata.deletionTimestamp}";
    return (await read(cluster, "shop", "pods", path)) === "";
  });
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
