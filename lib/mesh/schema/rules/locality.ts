/**
 * Rules of load balancing by locality.
 *
 * @module
 */
import type { LocalityLoadBalancerSetting } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";
import { CONFLICT, INVALID } from "./common.ts";

/** Checks a locality setting: distribute and failover exclude each other, weights sum to 100. */
export function checkLocality(
  setting: LocalityLoadBalancerSetting,
  path: Path,
  report: Report,
): void {
  const given = (["distribute", "failover"] as const).filter((name) => setting[name].length > 0);
  if (given.length > 1) {
    const message = "distribute and failover exclude each other";
    report.failKey([...path, "failover"], CONFLICT, message, "Keep one of the two.");
  }
  setting.distribute.forEach((rule, index) => {
    const at = [...path, "distribute", index];
    checkWildcard(rule.from, [...at, "from"], report);
    let total = 0;
    for (const [to, weight] of Object.entries(rule.to)) {
      checkWildcard(to, [...at, "to", to], report);
      total += weight;
    }
    if (total === 100) return;
    const message = `the weights sum to ${total}`;
    report.fail([...at, "to"], "invalid-weight", message, "Make them sum to 100.");
  });
  setting.failover.forEach((rule, index) => {
    if (rule.from !== rule.to) return;
    const message = `failover from "${rule.from}" leads to itself`;
    report.fail([...path, "failover", index], INVALID, message, "Name another region.");
  });
}

/** Checks `region/zone/subzone`; only the last part may be `*`. */
function checkWildcard(locality: string, path: Path, report: Report): void {
  const star = locality.indexOf("*");
  const parts = locality.split("/");
  const bad = locality === "" || parts.length > 3 || parts.some((part) => part === "") ||
    (star >= 0 && (star !== locality.length - 1 || parts.at(-1) !== "*"));
  if (!bad) return;
  const message = `${JSON.stringify(locality)} is not a locality`;
  report.fail(path, INVALID, message, "Write region, region/zone/* or region/zone/subzone.");
}
