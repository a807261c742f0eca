/**
 * Rules of load balancing.
 *
 * @module
 */
import {
  type LoadBalancerSettings,
  type LoadBalancerSettings_ConsistentHashLB as ConsistentHash,
  LoadBalancerSettings_SimpleLB as SimpleLB,
  type WarmupConfiguration,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import { checkLocality } from "./locality.ts";
import type { Report } from "../problem.ts";
import { checkDuration, checkPercent, CONFLICT, INVALID, REQUIRED } from "./common.ts";

/** Largest ring and table sizes that the proxy accepts. */
const MAX_RING_SIZE = 8_388_608n;
const MAX_TABLE_SIZE = 5_000_011n;

/** Checks load balancer settings. */
export function checkLoadBalancer(
  settings: LoadBalancerSettings,
  path: Path,
  report: Report,
): void {
  const { lbPolicy } = settings;
  if (lbPolicy.case === "simple" && lbPolicy.value === SimpleLB.LEAST_CONN) {
    const message = "LEAST_CONN is deprecated";
    report.warnValue([...path, "simple"], "deprecated", message, "Use LEAST_REQUEST.");
  }
  if (lbPolicy.case === "consistentHash") {
    checkConsistentHash(lbPolicy.value, [...path, "consistentHash"], report);
  }
  if (settings.localityLbSetting !== undefined) {
    checkLocality(settings.localityLbSetting, [...path, "localityLbSetting"], report);
  }
  if (!startsSlowly(settings)) {
    for (const name of ["warmup", "warmupDurationSecs"] as const) {
      if (settings[name] === undefined) continue;
      const message = `${name} has an effect only with ROUND_ROBIN and LEAST_REQUEST`;
      report.warn([...path, name], "no-effect", message, "Choose one of these, or remove it.");
    }
  }
  checkDuration(settings.warmupDurationSecs, [...path, "warmupDurationSecs"], report);
  if (settings.warmup === undefined) return;
  checkWarmup(settings.warmup, [...path, "warmup"], report);
  if (settings.warmupDurationSecs !== undefined) {
    const message = "warmup and warmupDurationSecs exclude each other";
    report.failKey([...path, "warmupDurationSecs"], CONFLICT, message, "Keep warmup.");
  }
}

/** True for a balancer that supports warm-up of new endpoints. */
function startsSlowly({ lbPolicy }: LoadBalancerSettings): boolean {
  if (lbPolicy.case === undefined) return true;
  return lbPolicy.case === "simple" && lbPolicy.value !== SimpleLB.RANDOM &&
    lbPolicy.value !== SimpleLB.PASSTHROUGH;
}

function checkWarmup(warmup: WarmupConfiguration, path: Path, report: Report): void {
  if (warmup.duration === undefined) {
    report.fail([...path, "duration"], REQUIRED, "the warmup has no duration", "Give duration.");
  }
  checkDuration(warmup.duration, [...path, "duration"], report);
  if (warmup.minimumPercent !== undefined) {
    checkPercent(warmup.minimumPercent, [...path, "minimumPercent"], report);
  }
  if (warmup.aggression === undefined || warmup.aggression >= 1) return;
  const message = `${warmup.aggression} is below 1`;
  report.fail([...path, "aggression"], "out-of-range", message, "Write 1 or more.");
}

function checkConsistentHash(hash: ConsistentHash, path: Path, report: Report): void {
  if (hash.hashKey.case === undefined) {
    const remedy = "Give httpHeaderName, httpCookie, useSourceIp or httpQueryParameterName.";
    report.fail(path, REQUIRED, "consistentHash does not say what to hash", remedy);
  } else if (hash.hashKey.value === "") {
    report.fail([...path, hash.hashKey.case], REQUIRED, "the name is empty", "Write a name.");
  } else if (hash.hashKey.case === "httpCookie") {
    checkCookie(hash.hashKey.value, [...path, "httpCookie"], report);
  }
  if (hash.minimumRingSize !== 0n) {
    const message = "minimumRingSize is deprecated here";
    report.warn(
      [...path, "minimumRingSize"],
      "deprecated",
      message,
      "Use ringHash.minimumRingSize.",
    );
    checkRing(hash.minimumRingSize, [...path, "minimumRingSize"], report);
  }
  const { hashAlgorithm } = hash;
  if (hashAlgorithm.case === "ringHash") {
    checkRing(
      hashAlgorithm.value.minimumRingSize,
      [...path, "ringHash", "minimumRingSize"],
      report,
    );
  }
  if (hashAlgorithm.case === "maglev") {
    checkTable(hashAlgorithm.value.tableSize, [...path, "maglev", "tableSize"], report);
  }
}

function checkCookie(
  cookie: Extract<ConsistentHash["hashKey"], { case: "httpCookie" }>["value"],
  path: Path,
  report: Report,
): void {
  if (cookie.name === "") report.fail(path, REQUIRED, "the cookie has no name", "Give name.");
  // 0 makes a session cookie.
  checkDuration(cookie.ttl, [...path, "ttl"], report, "zero");
  cookie.attributes.forEach((attribute, index) => {
    if (attribute.name !== "") return;
    const at = [...path, "attributes", index];
    report.fail(at, REQUIRED, "the cookie's attribute has no name", "Give name.");
  });
}

function checkRing(size: bigint, path: Path, report: Report): void {
  if (size <= MAX_RING_SIZE) return;
  const message = `a ring of ${size} is larger than ${MAX_RING_SIZE}`;
  report.fail(path, "out-of-range", message, `Write ${MAX_RING_SIZE} or less.`);
}

function checkTable(size: bigint, path: Path, report: Report): void {
  if (size === 0n) return;
  if (size > MAX_TABLE_SIZE) {
    const message = `a table of ${size} is larger than ${MAX_TABLE_SIZE}`;
    report.fail(path, "out-of-range", message, `Write a prime up to ${MAX_TABLE_SIZE}.`);
  } else if (!isPrime(Number(size))) {
    report.fail(path, INVALID, `${size} is not a prime`, "Write a prime, for example 65537.");
  }
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) {
    if (number % divisor === 0) return false;
  }
  return number > 1;
}
