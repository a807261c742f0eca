/**
 * `deno task bench NAME [flags]`: runs one of the benchmarks. Each prints its figures and those of
 * a fixed piece of work, to divide them by.
 *
 * @module
 */

interface Benchmark {
  readonly measures: string;
  readonly load: () => Promise<{ main(): Promise<void> }>;
}

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  push: {
    measures:
      "CPU, bytes, memory and convergence of pushes  [--services= --clients= --sotw|--whole --mtls]",
    load: () => import("./push/main.ts"),
  },
  "fast-client": {
    measures:
      "a first sync and reconnects with fast clients, beside the wire floor  [--clients= --narrowed]",
    load: () => import("./fast_client/main.ts"),
  },
  start: {
    measures: "start of the process to ready, from files  [--runs=]",
    load: () => import("./start.ts"),
  },
  memory: {
    measures: "memory as proxies come, and the idle daemon  [--services= --clients=]",
    load: () => import("./memory.ts"),
  },
  growth: {
    measures: "one edit's cost as services and proxies grow",
    load: () => import("./growth.ts"),
  },
  translate: {
    measures: "first translation of one class, of a second, of fifty  [--services=]",
    load: () => import("./translate.ts"),
  },
  soak: {
    measures: "a quarter of an hour of edits and faults: does everything hold  [--minutes=]",
    load: () => import("./soak/main.ts"),
  },
  faults: {
    measures: "a storm of edits, drops and reconnects: memory and stalls after each",
    load: () => import("./faults.ts"),
  },
  large: {
    measures:
      "objects near the largest size: the longest stall of the daemon  [--runs= --only= --cluster]",
    load: () => import("./large/main.ts"),
  },
  cli: {
    measures: "commands of meshctl over many files and services  [--files= --services=]",
    load: () => import("./cli/main.ts"),
  },
  ca: {
    measures: "certificates a second, and the drift of the event loop  [--requests= --clients=]",
    load: () => import("./ca/main.ts"),
  },
  agent: {
    measures: "start, memory, probes, relay and DNS of the agent  [--runs= --services= --clients=]",
    load: () => import("./agent/main.ts"),
  },
  dns: {
    measures: "queries a second of the agent's DNS proxy  [--queries= --names= --clients=]",
    load: () => import("./dns/main.ts"),
  },
  orchestrator: {
    measures: "a daemon over an API server: ready, memory, rolling restart  [--pods= --services=]",
    load: () => import("./orchestrator/main.ts"),
  },
  clients: {
    measures: "clients of the API under kill -9, and typed calls  [--objects= --writes= --kills=]",
    load: () => import("./clients/main.ts"),
  },
  ambient: {
    measures: "node proxies: first sync, one changed pod, on demand  [--workloads= --nodes=]",
    load: () => import("./ambient.ts"),
  },
  node: {
    measures: "pods on a node, from applied to ready, and their memory  [--runs= --at-once=]",
    load: () => import("./node/main.ts"),
  },
  cni: {
    measures: "ADD of the network plugin, beside the same network without it  [--runs= --at-once=]",
    load: () => import("./cni/main.ts"),
  },
  gateway: {
    measures:
      "routes of the Gateway API: write to first response  [--routes= --namespaces= --added=]",
    load: () => import("./gateway/main.ts"),
  },
  graph: {
    measures: "the engine alone, without encoding",
    load: () => import("./graph.ts"),
  },
};

function usage(): string {
  const lines = Object.entries(BENCHMARKS).map(([name, { measures }]) =>
    `  ${name.padEnd(12)} ${measures}`
  );
  return `Usage:\n  deno task bench WHAT [flags]\n\nBenchmarks:\n${lines.join("\n")}\n`;
}

if (import.meta.main) {
  const [what = ""] = Deno.args;
  if (!Object.hasOwn(BENCHMARKS, what)) {
    console.error(usage());
    Deno.exit(what === "" || what === "--help" || what === "-h" ? 0 : 64);
  }
  await (await BENCHMARKS[what]!.load()).main();
}
