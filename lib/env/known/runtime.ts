/**
 * Variables that have no counterpart in this runtime.
 *
 * @module
 */
import type { IdleTheme } from "../idle.ts";
import { AGENT, AGENT_DAEMON, ALL, bool, DAEMON, int, text } from "./rows.ts";

/** Variables that have no counterpart in this runtime. */
export const RUNTIME: readonly IdleTheme[] = [
  {
    state: {
      kind: "none",
      reason: "there is one codec, generated from the protos",
    },
    readers: DAEMON,
    rows: [
      bool("ENABLE_VTPROTOBUF", ALL, true, "Encode with the codec of a special build."),
    ],
  },
  {
    state: {
      kind: "none",
      reason: "programs run on one thread and have no mutexes",
    },
    readers: AGENT_DAEMON,
    rows: [
      int(
        "MUTEX_PROFILE_FRACTION",
        AGENT_DAEMON,
        1000,
        "Sample one of so many waits for a mutex; 0: none.",
      ),
    ],
  },
  {
    state: {
      kind: "none",
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
      kind: "none",
      reason: "it selects between two implementations, and there is only one",
    },
    readers: DAEMON,
    rows: [
      bool(
        "PILOT_UNIFIED_SIDECAR_SCOPE",
        AGENT_DAEMON,
        true,
        "Compute the scopes of all proxies in one way.",
      ),
    ],
  },
  {
    state: { kind: "none", reason: "the project's tests check these laws, not the running daemon" },
    readers: DAEMON,
    rows: [
      bool(
        "UNSAFE_PILOT_ENABLE_DELTA_TEST",
        AGENT,
        false,
        "Check that incremental pushes leave nothing out; for tests.",
      ),
      bool(
        "UNSAFE_PILOT_ENABLE_RUNTIME_ASSERTIONS",
        AGENT,
        false,
        "End the program when something that cannot be is; for tests.",
      ),
    ],
  },
  {
    state: {
      kind: "none",
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
