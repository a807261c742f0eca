/**
 * The tiers of tests: where each has its files, and how they run.
 *
 * @module
 */

/** Tests that run together. */
export interface Tier {
  readonly name: string;
  /** Folders whose tests belong to it. */
  readonly folders: readonly string[];
  /** Seconds that it takes on two cores, with all programs built. */
  readonly seconds: number;
  /** Test files at the same time; `undefined`: one for each core. */
  readonly jobs?: number;
  /** Most test files that share an isolate; `undefined`: one. */
  readonly share?: number;
  /** True when its tests run Envoy. */
  readonly tools: boolean;
  /** True when its tests run an API server. Its programs are built if Go is installed. */
  readonly cluster?: boolean;
  /** True when its tests run nodes. Their programs are built where nodes can run. */
  readonly nodes?: boolean;
  /** Environment variables of its tests. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Programs of the system without which some tests are skipped. */
export const SYSTEM_PROGRAMS: readonly string[] = [
  "openssl",
  "curl",
  "dig",
  "iptables",
  "chromium",
  "prometheus",
  "fish",
  "zsh",
  "systemd-analyze",
];

/** Tests of the protocol, which run over the second transport for gRPC too. */
const GRPC_TESTS: readonly string[] = [
  "lib/mesh/xds/subscription/slow_client_test.ts",
  "lib/mesh/xds/subscription/delta_test.ts",
  "lib/mesh/xds/subscription/sotw_test.ts",
  "lib/mesh/xds/stream/load_test.ts",
  "tests/wire/connection_rate_test.ts",
  "tests/wire/discovery_test.ts",
  "tests/wire/huge_configuration_test.ts",
  "tests/wire/push_throttle_test.ts",
  "tests/e2e/continuity_test.ts",
];

/** The tiers, in the order of their cost. */
export const TIERS: readonly Tier[] = [
  { name: "unit", seconds: 300, folders: ["lib", "cmd", "scripts"], share: 16, tools: false },
  { name: "wire", seconds: 110, folders: ["tests/wire"], jobs: 2, share: 6, tools: true },
  { name: "surface", seconds: 150, folders: ["tests/surface"], jobs: 2, tools: false },
  { name: "e2e", seconds: 640, folders: ["tests/e2e"], jobs: 2, tools: true },
  { name: "orch", seconds: 440, folders: ["tests/orch"], jobs: 2, tools: true, cluster: true },
  { name: "node", seconds: 1300, folders: ["tests/node"], jobs: 1, tools: true, nodes: true },
  // Waits are compared with those at a daemon that is not attacked, so two run side by side.
  { name: "attacks", seconds: 120, folders: ["tests/attacks"], jobs: 2, tools: false },
  {
    name: "grpc-js",
    seconds: 40,
    folders: GRPC_TESTS,
    jobs: 2,
    tools: true,
    env: { MESH_GRPC_TRANSPORT: "grpc-js" },
  },
];
