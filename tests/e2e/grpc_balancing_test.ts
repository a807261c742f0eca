/** Load balancing of proxyless gRPC clients. */
import { comes, type Counts } from "./grpc/program.ts";
import { doc, HOST, startWorld, TARGET } from "./grpc/world.ts";

const CALLS = { target: TARGET, count: 20 };

/** Number of servers that responded. */
const servers = (counts: Counts): number =>
  Object.keys(counts).filter((k) => /^v\d$/.test(k)).length;

const policy = (name: string, spec: string): string =>
  doc("DestinationRule", name, `{host: ${HOST}, ${spec}}`);

Deno.test("gRPC without a proxy: a ring, for the workloads that a rule selects", async () => {
  await using world = await startWorld({ servers: 3 });
  const ring = `trafficPolicy: {loadBalancer: {consistentHash: {httpHeaderName: x-user}}}`;
  await world.write(
    "rules.yaml",
    policy("selected", `workloadSelector: {matchLabels: {app: chosen}}, ${ring}`),
  );
  const [chosen, plain] = await Promise.all([
    world.client({ labels: { app: "chosen" } }),
    world.client({ labels: { app: "plain" } }),
  ]);
  const of = (user: string) => ({ ...CALLS, headers: { "x-user": user } });
  const seen = new Set<string>();
  for (let i = 0; seen.size < 2 && i < 30; i++) {
    await comes(chosen, of(`user${i}`), "a user to stay with an endpoint", (counts) => {
      if (servers(counts) === 1) seen.add(Object.keys(counts)[0]!);
      return servers(counts) === 1;
    });
  }
  if (seen.size < 2) throw new Error(`all users are with ${[...seen]}`);
  await comes(plain, of("user"), "others to take turns", (counts) => servers(counts) === 3);

  // Balancers that not all libraries support have an alternative.
  for (const simple of ["LEAST_REQUEST", "RANDOM"]) {
    await world.write(
      "rules.yaml",
      policy("echo", `trafficPolicy: {loadBalancer: {simple: ${simple}}}`),
    );
    await comes(chosen, of("user"), `all to be used by ${simple}`, (t) => servers(t) === 3);
  }
});

Deno.test("gRPC without a proxy: the nearest endpoints first, and others when they fail", async () => {
  await using world = await startWorld({ servers: 2, localities: ["near/a", "far/b"] });
  await world.write(
    "rules.yaml",
    policy(
      "echo",
      `trafficPolicy: {outlierDetection: {consecutive5xxErrors: 3, interval: 1s}, ` +
        `loadBalancer: {localityLbSetting: {enabled: true}}}`,
    ),
  );
  const client = await world.client({ locality: { region: "near", zone: "a" } });
  await comes(client, CALLS, "the nearest to answer", ({ v1 }) => v1 === 20);
  await world.stop(0);
  await comes(client, CALLS, "the other to answer", ({ v2 }) => v2 === 20);
});
