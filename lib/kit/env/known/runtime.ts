/**
 * Variables without effect in this runtime.
 *
 * @module
 */
import type { IneffectiveGroup } from "../ineffective.ts";
import { AGENT, AGENT_DAEMON, ALL, bool, DAEMON, int, text } from "./rows.ts";

/** Variables without effect in this runtime. */
export const RUNTIME: readonly IneffectiveGroup[] = [
  {
    state: {
      kind: "ineffective",
      reason: "the secret `cacerts` is always read from the cluster whose API the daemon uses",
    },
    readers: DAEMON,
    rows: [
      bool(
        "USE_REMOTE_CERTS",
        AGENT_DAEMON,
        false,
        "Let an external daemon load the authority's certificates from the configuration's cluster.",
      ),
    ],
  },
  {
    state: { kind: "ineffective", reason: "the client of the orchestrator's API uses JSON" },
    readers: DAEMON,
    rows: [
      {
        ...text(
          "MESH_ORCH_CLIENT_CONTENT_TYPE",
          AGENT_DAEMON,
          "protobuf",
          "Content type of requests to the orchestrator.",
        ),
        choices: ["protobuf", "json"],
      },
    ],
  },
  {
    state: {
      kind: "ineffective",
      reason: "there is one codec, generated from the protos",
    },
    readers: DAEMON,
    rows: [
      bool("ENABLE_VTPROTOBUF", ALL, true, "Encode with an alternative codec."),
    ],
  },
  {
    state: {
      kind: "ineffective",
      reason: "programs run on one thread and have no mutexes",
    },
    readers: AGENT_DAEMON,
    rows: [
      int(
        "MUTEX_PROFILE_FRACTION",
        AGENT_DAEMON,
        1000,
        "Sampling rate of mutex contention; 0: none.",
      ),
    ],
  },
  {
    state: {
      kind: "ineffective",
      reason: "scopes of Sidecars are computed one after the other, when something asks for them",
    },
    readers: DAEMON,
    rows: [
      int(
        "PILOT_CONVERT_SIDECAR_SCOPE_CONCURRENCY",
        AGENT_DAEMON,
        1,
        "How many scopes of Sidecars are computed at the same time.",
      ),
    ],
  },
  {
    state: {
      kind: "ineffective",
      reason: "it selects between two implementations, and there is only one",
    },
    readers: DAEMON,
    rows: [
      bool(
        "PILOT_UNIFIED_SIDECAR_SCOPE",
        AGENT_DAEMON,
        true,
        "Compute the scopes of all proxies by one implementation.",
      ),
    ],
  },
  {
    state: {
      kind: "ineffective",
      reason: "the project's tests check these laws, not the running daemon",
    },
    readers: DAEMON,
    rows: [
      bool(
        "UNSAFE_PILOT_ENABLE_DELTA_TEST",
        AGENT,
        false,
        "Check incremental pushes for completeness; for tests.",
      ),
      bool(
        "UNSAFE_PILOT_ENABLE_RUNTIME_ASSERTIONS",
        AGENT,
        false,
        "End the program when an assertion fails; for tests.",
      ),
    ],
  },
  {
    state: {
      kind: "ineffective",
      reason: "the daemon does not behave differently on a serverless platform",
    },
    readers: DAEMON,
    rows: [
      text(
        "K_REVISION",
        DAEMON,
        undefined,
        "Revision that a serverless platform gives the daemon.",
      ),
    ],
  },
];
