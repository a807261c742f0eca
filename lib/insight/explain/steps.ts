/**
 * The steps of a call through one proxy, with the objects and fields behind them.
 *
 * @module
 */
import type { ObjectRef, Provenance } from "../../mesh/translate/mod.ts";
import { rowRef } from "../../mesh/graph/mod.ts";
import { objectKey, TYPE_URLS } from "../../mesh/model/mod.ts";
import {
  type AccessTrace,
  type Call,
  follow,
  type Resources,
  type Step,
  type Verdict,
} from "../simulate/mod.ts";
import { type Cause, type ExplainedStep, ruleOf, type StepName } from "../verdict/mod.ts";

/** Returns the provenance of a resource, of a route table with that of one of its virtual hosts. */
export type ProvenanceOf = (
  typeUrl: string,
  name: string,
  virtualHost?: string,
) => readonly Provenance[];

/** The verdict about a call, and its explained steps. */
export interface ExplainedCall {
  readonly verdict: Verdict;
  readonly steps: readonly ExplainedStep[];
}

/** Follows a call through the resources of a proxy and explains each step. */
export function explainCall(
  resources: Resources,
  call: Call,
  provenanceOf: ProvenanceOf = () => [],
): ExplainedCall {
  const verdict = follow(resources, call);
  const position: Position = { listener: "", cluster: "", provenanceOf };
  return { verdict, steps: verdict.steps.map((step) => explained(step, position)) };
}

/** Resources that the call has passed. */
interface Position {
  listener: string;
  cluster: string;
  readonly provenanceOf: ProvenanceOf;
}

function explained(step: Step, position: Position): ExplainedStep {
  if (step.stage === "listener") position.listener = step.name;
  if (step.stage === "cluster") position.cluster = step.name;
  return {
    step: nameOf(step),
    name: step.name,
    why: step.why,
    causes: causesOf(step, position),
    ...(step.access === undefined ? {} : { access: step.access }),
    ...(step.token === undefined ? {} : { token: step.token }),
  };
}

function nameOf({ stage, name, access, token }: Step): StepName {
  if (access !== undefined) return "access";
  if (token !== undefined) return "tokens";
  if (stage !== "TLS") return stage;
  return name === "mutual" ? "mutual TLS" : "filter chain";
}

type Group = Provenance["groups"][number];

/** A provenance with the groups that are about a step. */
function causesOf(step: Step, { listener, cluster, provenanceOf }: Position): Cause[] {
  const of = (
    typeUrl: string,
    name: string,
    about: (group: Group) => boolean,
  ): Cause[] => distinct(provenanceOf(typeUrl, name).flatMap((one) => causes(one, about)));
  const ofTable = (virtualHost: string, about: (group: Group) => boolean): Cause[] =>
    distinct(
      provenanceOf(TYPE_URLS.route, step.table ?? "", virtualHost)
        .flatMap((one) => causes(one, about)),
    );
  const { access, token, stage } = step;
  if (access !== undefined) return accessCauses(access, of(TYPE_URLS.listener, listener, isAccess));
  if (token !== undefined) {
    return of(TYPE_URLS.listener, listener, ({ group }) => group === "tokens");
  }
  switch (stage) {
    case "listener":
      return of(
        TYPE_URLS.listener,
        listener,
        ({ of, group }) => of.length === 0 && !PART.has(group),
      );
    case "filter chain":
      return of(TYPE_URLS.listener, listener, ({ of, group }) => of.length > 0 && group === "port");
    case "TLS":
      return of(TYPE_URLS.listener, listener, ({ group }) => group === "mutualTls");
    case "virtual host":
      return ofTable(step.name, ({ of }) => of.length === 1 && of[0] === step.name);
    case "route":
      return ofTable(
        step.virtualHost ?? "",
        ({ of }) => of[0] === step.virtualHost && of[1] === `routes[${step.index}]`,
      );
    case "cluster":
      return of(TYPE_URLS.cluster, cluster, () => true);
    case "endpoint":
      return of(
        TYPE_URLS.endpoint,
        cluster,
        ({ group, value }) =>
          group === "mutualTls" || group === "endpoint" && isAddress(step.name, `${value}`),
      );
    default:
      return [];
  }
}

/** Decisions about a listener that have steps of their own. */
const PART: ReadonlySet<string> = new Set(["access", "tokens", "mutualTls"]);

function isAccess({ group }: Group): boolean {
  return group === "access";
}

function isAddress(endpoint: string, address: string): boolean {
  return endpoint === address || endpoint.startsWith(`${address}:`) ||
    endpoint.startsWith(`[${address}]:`);
}

/** Returns the name of an object, `Kind/namespace/name`. */
export function refOf(object: ObjectRef): string {
  return rowRef({ table: object.kind, key: objectKey(object) });
}

/** Groups without an object say that nothing is configured: an object alone is a cause. */
function causes({ groups, objects }: Provenance, about: (group: Group) => boolean): Cause[] {
  return groups.filter((one) => one.source !== "built-in" && about(one)).map((one): Cause => {
    const { source, object, field, group } = one;
    const { origin: found, writtenIn } = objects.find((one) => refOf(one) === object) ?? {};
    return {
      source,
      ...(object === undefined ? {} : { object }),
      ...(field === undefined ? {} : { field }),
      ...(found?.file === undefined ? {} : { position: `${found.file}:${found.line}` }),
      ...(writtenIn === undefined ? {} : { writtenIn }),
      decides: group,
    };
  });
}

function distinct(list: readonly Cause[]): Cause[] {
  const seen = new Set<string>();
  return list.filter(({ object, field, source }) => {
    const key = `${source} ${object} ${field}`;
    return seen.has(key) ? false : seen.add(key);
  });
}

/** The rule that decided; if none matched, the policies of the workload. */
function accessCauses({ decided }: AccessTrace, policies: Cause[]): Cause[] {
  const rule = decided && ruleOf(decided);
  if (rule === undefined) return policies;
  const position = policies.find(({ object }) => object === rule.object)?.position;
  return [{
    ...{ source: "object", decides: "access", ...rule } as const,
    ...(position === undefined ? {} : { position }),
  }];
}
