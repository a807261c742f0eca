/**
 * The tiers of tests: where each has its files, and how they run.
 *
 * @module
 */

import type { PlannedTier } from "./test_plan.ts";

/** Tests that run together. */
export interface Tier extends PlannedTier {
  /** Folders whose tests belong to it. */
  readonly folders: readonly string[];
  /** Test files at the same time; `undefined`: one for each core. More where tests mostly wait. */
  readonly jobs?: number;
  /** Most test files that share an isolate; `undefined`: one. */
  readonly share?: number;
  /** True when its tests start the project's programs as processes, often enough for bundles. */
  readonly startsPrograms: boolean;
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
  {
    name: "unit",
    seconds: 420,
    cpu: 830,
    folders: ["scripts", "lib", "cmd"],
    share: 16,
    startsPrograms: false,
    tools: false,
  },
  {
    name: "wire",
    seconds: 100,
    cpu: 129,
    folders: ["tests/wire"],
    jobs: 2,
    share: 6,
    startsPrograms: true,
    tools: true,
  },
  {
    name: "surface",
    seconds: 140,
    cpu: 118,
    folders: ["tests/surface"],
    jobs: 2,
    startsPrograms: true,
    tools: false,
  },
  {
    name: "e2e",
    seconds: 460,
    cpu: 398,
    folders: ["tests/e2e"],
    jobs: 3,
    share: 4,
    startsPrograms: true,
    tools: true,
  },
  {
    name: "orch",
    seconds: 480,
    cpu: 650,
    place: "beside",
    folders: ["tests/orch"],
    jobs: 2,
    share: 3,
    startsPrograms: true,
    tools: true,
    cluster: true,
  },
  {
    name: "node",
    seconds: 1000,
    cpu: 1000,
    place: "beside",
    folders: ["tests/node"],
    jobs: 1,
    startsPrograms: true,
    tools: true,
    nodes: true,
  },
  {
    name: "attacks",
    seconds: 130,
    cpu: 150,
    place: "last",
    folders: ["tests/attacks"],
    jobs: 2,
    startsPrograms: true,
    tools: false,
  },
  {
    name: "grpc-js",
    seconds: 35,
    cpu: 60,
    folders: GRPC_TESTS,
    jobs: 2,
    share: 3,
    startsPrograms: true,
    tools: true,
    env: { MESH_GRPC_TRANSPORT: "grpc-js" },
  },
];
