/**
 * The steps of the demo of pods: each is an object that `kubectl` applies, and the traffic after it.
 *
 * @module
 */
import type { NodeCluster } from "../cluster/node/cluster.ts";
import { kubectl, rolledOut } from "../cluster/node/kubectl.ts";
import { words } from "./explore.ts";
import type { Narrator } from "./narrator.ts";
import {
  DENY_GUEST,
  DEPLOYMENTS,
  INJECTION,
  MISSPELT,
  NAMESPACE,
  OUTSIDE,
  OUTSIDER,
  server,
  split,
  STRICT,
  workloads,
} from "./pods_objects.ts";

/** Number of requests that measure a split. */
const SAMPLE = 200;
const URL_INSIDE = "http://shop/";
const URL_OUTSIDE = `http://shop.${NAMESPACE}/`;

/** The observation of a step, in words, and whether it was expected. */
interface Seen {
  readonly seen: string;
  readonly ok: boolean;
}

/** Runs all steps. */
export async function podSteps(narrator: Narrator, cluster: NodeCluster): Promise<void> {
  await injection(narrator, cluster);
  await routing(narrator, cluster);
  await security(narrator, cluster);
  await mistake(narrator, cluster);
}

async function injection(narrator: Narrator, cluster: NodeCluster): Promise<void> {
  const run = (...args: string[]): Promise<string> => {
    narrator.say(`   kubectl ${args.join(" ")}`);
    return kubectl(cluster, args);
  };
  await narrator.step(
    "A label on a namespace: pods of Deployments that are applied get proxies",
    async () => {
      await run("create", "namespace", NAMESPACE);
      await run("label", "namespace", NAMESPACE, INJECTION);
      await run("create", "namespace", OUTSIDE);
      narrator.show("one of five Deployments", server("v1"));
      await kubectl(cluster, ["apply", "-f", "-"], workloads());
      await rolledOut(cluster, NAMESPACE, DEPLOYMENTS);
      await rolledOut(cluster, OUTSIDE, [OUTSIDER]);
    },
    async () => {
      const inside = await containers(cluster, NAMESPACE);
      const outside = await containers(cluster, OUTSIDE);
      const ok = inside.length === DEPLOYMENTS.length && outside.length === 1 &&
        inside.every((names) => names.includes("mesh-proxy")) && outside[0] === "app";
      return {
        seen: `${inside.length} pods of ${NAMESPACE}: ${[...new Set(inside)].join("; ")}. ` +
          `${OUTSIDE}: ${outside.join("; ")}`,
        ok,
      };
    },
  );
}

async function routing(narrator: Narrator, cluster: NodeCluster): Promise<void> {
  await narrator.step("A Service: both versions answer", async () => {}, async () => {
    const { counts, seen } = await measured(cluster);
    return { seen, ok: (counts.v1 ?? 0) > 0 && (counts.v2 ?? 0) > 0 };
  });
  await narrator.step("A VirtualService: 80 % to v1, 20 % to v2", async () => {
    narrator.show("split.yaml", split(80));
    await kubectl(cluster, ["apply", "-f", "-"], split(80));
  }, async () => {
    const { counts, seen } = await measured(cluster);
    const share = (counts.v1 ?? 0) / SAMPLE;
    const isComplete = (counts.v1 ?? 0) + (counts.v2 ?? 0) === SAMPLE;
    return { seen, ok: isComplete && share > 0.66 && share < 0.92 };
  });
}

async function security(narrator: Narrator, cluster: NodeCluster): Promise<void> {
  const callers = async (): Promise<Readonly<Record<string, string>>> => ({
    client: await firstLine(cluster, "client", NAMESPACE, URL_INSIDE),
    guest: await firstLine(cluster, "guest", NAMESPACE, URL_INSIDE),
    outsider: await firstLine(cluster, OUTSIDER, OUTSIDE, URL_OUTSIDE),
  });
  await narrator.step(
    "Mutual TLS, which nothing asked for: the server knows who calls",
    async () => {},
    async () => {
      const text = await requests(cluster, "client", NAMESPACE, [`${URL_INSIDE}headers`]);
      const [, uri] = /URI=(spiffe:[^;,"]+)/.exec(text) ?? [];
      const expected = `spiffe://cluster.local/ns/${NAMESPACE}/sa/client`;
      return { seen: `the certificate of the caller: ${uri ?? "none"}`, ok: uri === expected };
    },
  );
  await narrator.step("PeerAuthentication: a pod outside the mesh is refused", async () => {
    narrator.show("strict.yaml", STRICT);
    await kubectl(cluster, ["apply", "-f", "-"], STRICT);
  }, async () => {
    const { client, outsider } = await callers();
    return answers({ client, outsider }, { client: /^200/, outsider: /^error/ });
  });
  await narrator.step("AuthorizationPolicy: one caller is denied", async () => {
    narrator.show("deny.yaml", DENY_GUEST);
    await kubectl(cluster, ["apply", "-f", "-"], DENY_GUEST);
  }, async () => {
    const { client, guest } = await callers();
    return answers({ client, guest }, { client: /^200/, guest: /^403/ });
  });
}

async function mistake(narrator: Narrator, cluster: NodeCluster): Promise<void> {
  let refusal = "";
  await narrator.step(
    "A misspelt field is refused by the API, and the old routes keep serving",
    async () => {
      narrator.show("misspelt.yaml", MISSPELT);
      const { success, stderr } = await cluster.run(["apply", "-f", "-"], MISSPELT);
      // kubectl repeats the whole object before the reason.
      refusal = success ? "" : /strict decoding error: .*/.exec(stderr)?.[0] ?? stderr.trim();
    },
    async () => {
      const { counts, seen } = await measured(cluster);
      return { seen: `${refusal}; ${seen}`, ok: refusal !== "" && (counts.v1 ?? 0) > SAMPLE / 2 };
    },
  );
}

/** Names of the containers of each pod, with those that end before. */
async function containers(cluster: NodeCluster, namespace: string): Promise<string[]> {
  const path = "{range .items[*]}{.spec['initContainers','containers'][*].name}{'\\n'}{end}";
  const text = await kubectl(cluster, ["get", "pods", "-n", namespace, `-o=jsonpath=${path}`]);
  return text.split("\n").map((line) => line.split(" ").sort().join(", "));
}

/** Sends requests and counts the answers by version. */
async function measured(
  cluster: NodeCluster,
): Promise<{ readonly counts: Readonly<Record<string, number>>; readonly seen: string }> {
  const args = ["-n", `${SAMPLE}`, URL_INSIDE];
  const text = await requests(cluster, "client", NAMESPACE, args);
  const counts: Record<string, number> = {};
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const who = /^200 shop-(v\d)-/.exec(line)?.[1] ?? line.slice(0, 60);
    counts[who] = (counts[who] ?? 0) + 1;
  }
  return { counts, seen: `${SAMPLE} requests → ${words(counts)}` };
}

/** Sends requests from a pod; each line of the result is a status with the answer, or an error. */
async function requests(
  cluster: NodeCluster,
  deployment: string,
  namespace: string,
  args: readonly string[],
): Promise<string> {
  const pod = ["exec", "-n", namespace, `deploy/${deployment}`, "-c", "app", "--"];
  const { stdout, stderr } = await cluster.run([...pod, "/workload", "get", ...args]);
  return stdout || stderr;
}

async function firstLine(
  cluster: NodeCluster,
  deployment: string,
  namespace: string,
  url: string,
): Promise<string> {
  return (await requests(cluster, deployment, namespace, [url])).split("\n")[0]!;
}

function answers(
  found: Readonly<Record<string, string | undefined>>,
  expected: Readonly<Record<string, RegExp>>,
): Seen {
  const seen = Object.entries(found).map(([caller, line]) => `${caller}: ${line}`).join("; ");
  const ok = Object.entries(expected).every(([caller, line]) => line.test(found[caller] ?? ""));
  return { seen, ok };
}
