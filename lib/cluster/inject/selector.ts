/**
 * Label selectors of the orchestrator.
 *
 * @module
 */
import { hasLabels, meetsRequirement } from "../../mesh/model/mod.ts";

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

type Labels = Readonly<Record<string, string>>;

/** True if a selector without any condition is given. */
export function isEmptySelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;
}

/** Reports if labels match a selector; an empty selector matches everything. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return hasLabels(labels, matchLabels) &&
    matchExpressions.every(({ key, operator, values = [] }) =>
      meetsRequirement(labels, { key, operator, values })
    );
}

/** A selector as text, such as `app=web,tier in (a,b)`. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const equal = Object.entries(matchLabels).map(([name, value]) => `${name}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    const set = values.length > 0 ? ` (${values.join(",")})` : "";
    return `${key} ${operator}${set}`;
  });
  return [...equal, ...others].join(",");
}
