/**
 * Label selectors of the orchestrator.
 *
 * @module
 */

/** A label selector. */
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
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = Object.hasOwn(labels, key) ? labels[key]! : undefined;
      switch (operator) {
        case "In":
          return value !== undefined && values.includes(value);
        case "NotIn":
          return value === undefined || !values.includes(value);
        case "Exists":
          return value !== undefined;
        case "DoesNotExist":
          return value === undefined;
        default:
          return false;
      }
    });
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
