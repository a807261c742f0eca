/**
 * Foundations of all rooms: errors, durations, content hashes, canonical JSON, build facts.
 *
 * @module
 */
export { joinedBytes } from "./bytes.ts";
export { MeshError, messageOf } from "./error.ts";
export { assertNever } from "./assert_never.ts";
export { parseBoolean } from "./boolean.ts";
export {
  about,
  type Candidate,
  type Choice,
  choose,
  type Decision,
  type DecisionLog,
  type HeldDecisions,
  holdDecisions,
  NO_DECISIONS,
  type PassedOver,
  type RecordedDecision,
  type Source,
  sourceOf,
} from "./decisions.ts";
export { FIPS_CIPHERS, FIPS_CURVES } from "./fips.ts";
export { formatDuration, MAX_DURATION_MS, parseDuration } from "./duration.ts";
export { type DigestAlgorithm, hash, hexDigest } from "./hash.ts";
export { lazily } from "./lazily.ts";
export { freeBuffer } from "./memory.ts";
export { canonicalJson } from "./canonical_json.ts";
export { type BuildInfo, buildInfo, buildLine } from "./build.ts";
export { flatMapInParts, inParts, type Parts, UNDIVIDED } from "./parts.ts";
export { allSteps, eachInSteps, STEP_ITEMS } from "./steps.ts";
export { isPrintable, printable } from "./printable.ts";
