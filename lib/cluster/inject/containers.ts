/**
 * Joins the containers of a template with those of the user's pod.
 *
 * @module
 */
import type { Container, Json, Pod, PodSpec } from "./objects.ts";
import { strategicMerge } from "./merge.ts";
import { isMap } from "../../kit/template/mod.ts";

/** The annotation that records the user's values of containers that a template has. */
export const OVERRIDES = "proxy.mesh.io/overrides";

/** An image that stands for the one of the template. */
const AUTO = "auto";

/** The user's containers that a template has, too. */
export interface Overrides {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
}

const NO_OVERRIDES: Overrides = { containers: [], initContainers: [] };

/** Fields of which an earlier injection may have changed the user's values. */
const MOVED_FIELDS = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];

/** Facts about an earlier injection of the pod. */
export interface EarlierInjection {
  /** Names of the containers that it added or changed. */
  readonly names: ReadonlySet<string>;
  readonly overrides: Overrides;
}

/**
 * Joins containers: those of the user keep their place, values of the user win over the template's.
 * A container that the template has among the init containers, such as a native sidecar, moves there.
 * A container of an earlier injection is kept with the template's values over it, and then those that
 * the user had for it.
 */
export function joinContainers(
  user: PodSpec,
  template: PodSpec,
  earlier?: EarlierInjection,
): {
  readonly spec: Pick<PodSpec, "containers" | "initContainers">;
  readonly overrides: Overrides;
} {
  const given = {
    containers: byName(template.containers),
    initContainers: byName(template.initContainers),
  };
  const own = new Map(
    [...earlier?.overrides.initContainers ?? [], ...earlier?.overrides.containers ?? []]
      .map((one) => [one.name, one]),
  );
  const overrides = { containers: [] as Container[], initContainers: [] as Container[] };
  const used = new Set<string>();
  const result = { containers: [] as Container[], initContainers: [] as Container[] };
  for (const list of LISTS) {
    for (const container of user[list] ?? []) {
      const { name } = container;
      const target = given.containers.has(name)
        ? "containers"
        : given.initContainers.has(name)
        ? "initContainers"
        : undefined;
      const base = target && given[target].get(name);
      if (target === undefined || base === undefined) {
        result[list].push(container);
        continue;
      }
      used.add(name);
      if (earlier?.names.has(name)) {
        result[target].push(again(container, base, own.get(name)));
        continue;
      }
      const changed = withoutAuto(container);
      overrides[target].push(changed);
      result[target].push(strategicMerge(base, changed));
    }
  }
  for (const list of LISTS) {
    result[list].push(...[...given[list].values()].filter(({ name }) => !used.has(name)));
  }
  return { spec: result, overrides };
}

const LISTS = ["initContainers", "containers"] as const;

function byName(containers: readonly Container[] | undefined): Map<string, Container> {
  return new Map((containers ?? []).map((one) => [one.name, one]));
}

/** A container of an earlier injection, with the template's values and the user's own. */
function again(old: Container, base: Container, own: Container | undefined): Container {
  if (own === undefined) return strategicMerge(old, base);
  const rest = Object.fromEntries(
    Object.entries(old).filter(([field]) => !MOVED_FIELDS.includes(field)),
  );
  return strategicMerge(strategicMerge(rest, base), withoutAuto(own)) as Container;
}

/**
 * The server gives an image without a tag the policy `Always`, so that it says nothing about the image
 * of the template.
 */
function withoutAuto(container: Container): Container {
  if (container.image !== AUTO) return container;
  const { image: _, imagePullPolicy, ...rest } = container;
  const isDefault = imagePullPolicy === undefined || imagePullPolicy === "Always";
  return isDefault ? rest : { ...rest, imagePullPolicy };
}

/** The text of the annotation with the overrides; `undefined` without any. */
export function overridesText({ containers, initContainers }: Overrides): string | undefined {
  if (containers.length + initContainers.length === 0) return undefined;
  return JSON.stringify({
    ...containers.length > 0 && { containers },
    ...initContainers.length > 0 && { initContainers },
  });
}

/** The overrides in the annotation; `undefined` for a text that is not JSON. */
export function parsedOverrides(text: string): Overrides | undefined {
  try {
    const found = JSON.parse(text) as Json | null;
    const list = (value: unknown) =>
      Array.isArray(value) ? value.filter((one) => isMap(one)) as Container[] : [];
    return {
      containers: list(found?.containers),
      initContainers: list(found?.initContainers),
    };
  } catch {
    return undefined;
  }
}

/** The overrides that an earlier injection recorded, as containers of a pod. */
export function recordedOverrides(text: string | undefined): Overrides {
  const { containers, initContainers } = parsedOverrides(text ?? "") ?? NO_OVERRIDES;
  const withImage = (container: Container): Container => ({ image: AUTO, ...container });
  return {
    containers: containers.map(withImage),
    initContainers: initContainers.map(withImage),
  };
}

/** Pod with changed environment of one container; variables of the same name are replaced. */
export function withVariables(
  pod: Pod,
  name: string,
  variables: readonly (readonly [name: string, value: string])[],
): Pod {
  if (variables.length === 0) return pod;
  const change = (container: Container): Container => {
    if (container.name !== name) return container;
    const env = [...container.env ?? []];
    for (const [variable, value] of variables) {
      const at = env.findIndex((one) => one.name === variable);
      if (at < 0) env.push({ name: variable, value });
      else env[at] = { name: variable, value };
    }
    return { ...container, env };
  };
  const { initContainers, containers } = pod.spec!;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...initContainers && { initContainers: initContainers.map(change) },
      containers: containers.map(change),
    },
  };
}
