/**
 * Joins the containers of a template with those of the user's pod.
 *
 * @module
 */
import type { Container, Json, Pod, PodSpec } from "./objects.ts";
import { strategicMerge } from "./merge.ts";

/** The annotation that records the user's values of containers that a template has. */
export const OVERRIDES = "proxy.mesh.io/overrides";

/** An image that stands for the one of the template. */
const AUTO = "auto";

/** The user's containers that a template has, too. */
export interface Overrides {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
}

/**
 * Joins containers: those of the user keep their place, values of the user win over the template's.
 * A container that the template has among the init containers, such as a native sidecar, moves there.
 */
export function joinContainers(
  user: PodSpec,
  template: PodSpec,
): {
  readonly spec: Pick<PodSpec, "containers" | "initContainers">;
  readonly overrides: Overrides;
} {
  const given = {
    containers: (template.containers ?? []) as Container[],
    initContainers: (template.initContainers ?? []) as Container[],
  };
  const overrides = { containers: [] as Container[], initContainers: [] as Container[] };
  const used = new Set<string>();
  const result = { containers: [] as Container[], initContainers: [] as Container[] };
  for (const list of ["initContainers", "containers"] as const) {
    for (const container of user[list] ?? []) {
      const target = given.containers.some(({ name }) => name === container.name)
        ? "containers"
        : given.initContainers.some(({ name }) => name === container.name)
        ? "initContainers"
        : undefined;
      const base = target && given[target].find(({ name }) => name === container.name);
      if (target === undefined || base === undefined) {
        result[list].push(container);
        continue;
      }
      const own = withoutAuto(container);
      used.add(container.name);
      overrides[target].push(own);
      result[target].push(strategicMerge(base, own));
    }
  }
  for (const list of ["initContainers", "containers"] as const) {
    result[list].push(...given[list].filter(({ name }) => !used.has(name)));
  }
  return { spec: result, overrides };
}

function withoutAuto(container: Container): Container {
  if (container.image !== AUTO) return container;
  const { image: _, ...rest } = container;
  return rest;
}

/** The text of the annotation with the overrides; `undefined` without any. */
export function overridesText({ containers, initContainers }: Overrides): string | undefined {
  if (containers.length + initContainers.length === 0) return undefined;
  return JSON.stringify({
    ...containers.length > 0 && { containers },
    ...initContainers.length > 0 && { initContainers },
  });
}

/** The overrides that an earlier injection recorded. */
export function recordedOverrides(text: string | undefined): Overrides {
  const none = { containers: [], initContainers: [] };
  if (text === undefined) return none;
  try {
    const found = JSON.parse(text) as Json;
    const list = (value: unknown) => Array.isArray(value) ? value as Container[] : [];
    return {
      containers: list(found.containers).map(withImage),
      initContainers: list(found.initContainers).map(withImage),
    };
  } catch {
    return none;
  }
}

function withImage(container: Container): Container {
  return { image: AUTO, ...container };
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
