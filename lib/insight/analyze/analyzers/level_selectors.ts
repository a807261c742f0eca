/**
 * Sidecars and Telemetries: of those of a namespace, one applies to a workload.
 *
 * @module
 */
import { byAge, type ConfigObject, hasLabels, type ObjectMeta } from "../../../mesh/model/mod.ts";
import type { Input } from "../../../mesh/graph/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import type { Code } from "../codes.ts";
import type { Finding } from "../message.ts";
import { rowsOf } from "../indexes.ts";
import {
  type KnownWorkload,
  type Labels,
  labelText,
  selectedWorkloads,
  selectsNothing,
} from "../workload_indexes.ts";
import { namespaceOfPolicy } from "./policy_selectors.ts";

/** Sidecars that select no workload or the same, or that all lack a selector. */
export const SIDECAR_SELECTORS: Analyzer<"Sidecar"> = {
  name: "sidecar.SelectorAnalyzer",
  kinds: ["Sidecar"],
  codes: ["MSH0101", "MSH0110", "MSH0111"],
  analyze: (context, row) =>
    levelFindings(context, row, {
      table: context.mesh.tables.sidecars,
      members: context.read.members(
        context.mesh.indexes.sidecarsByNamespace,
        row.meta.namespace,
      ),
      selectorOf: (spec) => spec.workloadSelector?.labels ?? {},
      path: "spec.workloadSelector",
      same: "MSH0110",
      without: "MSH0111",
    }),
};

/** Telemetries that select no workload or the same, or that all lack a selector. */
export const TELEMETRY_SELECTORS: Analyzer<"Telemetry"> = {
  name: "telemetry.SelectorAnalyzer",
  kinds: ["Telemetry"],
  codes: ["MSH0101", "MSH0159", "MSH0160"],
  analyze: (context, row) =>
    row.spec.targetRef !== undefined || row.spec.targetRefs.length > 0
      ? []
      : levelFindings(context, row, {
        table: context.mesh.tables.telemetries,
        members: context.read.members(
          context.indexes.telemetriesByNamespace,
          row.meta.namespace,
        ),
        selectorOf: (spec) =>
          spec.targetRef !== undefined || spec.targetRefs.length > 0
            ? undefined
            : spec.selector?.matchLabels ?? {},
        isBare: (spec) => spec.selector === undefined,
        path: "spec.selector",
        same: "MSH0159",
        without: "MSH0160",
      }),
};

/** A kind of which one object applies to a workload. */
interface LevelKind<T> {
  readonly table: Input<ConfigObject<T>>;
  /** Row keys of the objects in the namespace. */
  readonly members: readonly string[];
  /** Empty: all workloads; `undefined`: selected in another way. */
  readonly selectorOf: (spec: T) => Labels | undefined;
  /** True for an object that counts as one without selector; default: the selector is empty. */
  readonly isBare?: (spec: T) => boolean;
  readonly path: string;
  /** Code of several that select the same workload. */
  readonly same: Code;
  /** Code of several without a selector. */
  readonly without: Code;
}

function* levelFindings<T>(
  context: Context,
  row: ConfigObject<T>,
  { table, members, selectorOf, isBare = () => true, path, same, without }: LevelKind<T>,
): Iterable<Finding> {
  const { read } = context;
  const { namespace } = row.meta;
  const own = selectorOf(row.spec) ?? {};
  const where = namespaceOfPolicy(context, row.meta);
  if (selectsNothing(context, where, own)) {
    yield { code: "MSH0101", args: ["selector", labelText(own)], path };
    return;
  }
  const others = rowsOf(read, table, members).filter(({ meta }) => meta !== row.meta);
  const names = (list: readonly ConfigObject<T>[]) =>
    [...list, row].sort(byAge).map(({ meta }) => meta.name).join(", ");
  if (Object.keys(own).length === 0) {
    if (!isBare(row.spec) || isUnread(context, row.meta)) return;
    const bare = others.filter(({ spec }) => {
      const selector = selectorOf(spec);
      return selector !== undefined && Object.keys(selector).length === 0 && isBare(spec);
    });
    if (bare.length > 0) yield { code: without, args: [names(bare), namespace], path: "" };
    return;
  }
  const selecting = others.flatMap((other) => {
    const selector = selectorOf(other.spec) ?? {};
    return Object.keys(selector).length === 0 ? [] : [{ other, selector }];
  });
  if (selecting.length === 0) return;
  for (const workload of namedOnes([...selectedWorkloads(context, where, own)])) {
    // The node proxy reads no Sidecar.
    if (row.meta.kind === "Sidecar" && workload.captured === true) continue;
    const rivals = selecting.filter(({ selector }) => hasLabels(workload.labels, selector));
    if (rivals.length === 0) continue;
    const list = names(rivals.map(({ other }) => other));
    const args = [list, namespace, workload.name ?? labelText(workload.labels)];
    yield { code: same, args, path };
  }
}

/** True for a Sidecar of a namespace that the node proxy serves, which reads none. */
function isUnread({ read, indexes }: Context, { kind, namespace }: ObjectMeta): boolean {
  return kind === "Sidecar" && read.get(indexes.ambientNamespaces, namespace) === true;
}

/** The pods, if some are known: what else is known are the workloads that they are of. */
function namedOnes(workloads: readonly KnownWorkload[]): readonly KnownWorkload[] {
  const pods = workloads.filter(({ name }) => name !== undefined);
  return pods.length > 0 ? pods : workloads;
}
