/**
 * Filters of backends. Those that change headers belong to a destination; for any others each backend of
 * the rule becomes a rule of its own, with its share of the requests.
 *
 * @module
 */
import { weighted, type WeightedReference } from "./destinations.ts";
import { incompatibleFilters, unsupportedFilter } from "./http_filters.ts";
import { type AnyFilter, changesHeaders } from "./http_headers.ts";

/** The parts of a rule that filters of backends concern. */
export interface FilteredRule {
  readonly filters: readonly AnyFilter[];
  readonly backendRefs: readonly WeightedReference[];
  readonly sessionPersistence?: object | undefined;
}

/** A rule for a share of the requests. */
export interface RuleShare<Rule> {
  readonly rule: Rule;
  /** Millionths of the requests that this rule and those before it get; undefined: the rest. */
  readonly upTo?: number;
}

const MILLION = 1_000_000;

/** The filters of a backend that do not belong to a destination. */
function ownFilters({ filters = [] }: WeightedReference): readonly AnyFilter[] {
  return filters.filter((one) => !changesHeaders(one));
}

/** The rules that a rule becomes, in order: one, or one for each backend with a share of the requests. */
export function ruleShares<Rule extends FilteredRule>(rule: Rule): readonly RuleShare<Rule>[] {
  const refs = weighted(rule.backendRefs);
  const divided = refs.some((ref) =>
    ownFilters(ref).length > 0 && backendFault(rule, ref) === undefined
  );
  if (!divided) return [{ rule }];
  const total = refs.reduce((sum, { weight = 1 }) => sum + weight, 0);
  let before = 0;
  return refs.map((ref, index) => {
    before += ref.weight ?? 1;
    const part = { rule: ruleOf(rule, ref) };
    return index === refs.length - 1
      ? part
      : { ...part, upTo: Math.round((MILLION * before) / total) };
  });
}

/** The rule for a single backend; one whose filters cannot be applied keeps them, and is not reached. */
function ruleOf<Rule extends FilteredRule>(rule: Rule, ref: WeightedReference): Rule {
  const own = ownFilters(ref);
  if (own.length === 0 || backendFault(rule, ref) !== undefined) {
    return { ...rule, backendRefs: [ref] };
  }
  const filters = (ref.filters ?? []).filter(changesHeaders);
  return { ...rule, filters: [...rule.filters, ...own], backendRefs: [{ ...ref, filters }] };
}

/** Types of filters that a rule and its backend may both have. */
const REPEATED = ["RequestMirror"];

/** The reason why the filters of a backend of a rule cannot be applied. */
export function backendFault(
  { filters, backendRefs, sessionPersistence }: FilteredRule,
  ref: WeightedReference,
): { readonly reason: string; readonly message: string } | undefined {
  const own = ownFilters(ref);
  const unsupported = (message: string) => ({ reason: "UnsupportedValue", message });
  const wrong = unsupportedFilter(own, false);
  if (wrong !== undefined) {
    return unsupported(`filters of type ${wrong} are not supported at backends`);
  }
  if (own.length === 0) return undefined;
  if (sessionPersistence !== undefined && backendRefs.length > 1) {
    return unsupported(
      `filters of type ${own[0]?.type} are not supported at several backends with sessions`,
    );
  }
  const all = [...filters, ...own];
  const twice = own.find(({ type }) =>
    !REPEATED.includes(type) && all.filter((other) => other.type === type).length > 1
  );
  const pair = incompatibleFilters(all) ?? (twice && [twice.type, twice.type]);
  return pair && {
    reason: "IncompatibleFilters",
    message: `filters of types ${
      pair.join(" and ")
    } of the rule and the backend exclude each other`,
  };
}
