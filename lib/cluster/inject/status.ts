/**
 * The annotation that records what injection added, and removing it again.
 *
 * @module
 */
import {
  type EarlierInjection,
  OVERRIDES,
  parsedOverrides,
  recordedOverrides,
} from "./containers.ts";
import { annotationsOf, type Container, type Pod } from "./objects.ts";

/** The annotation of injected pods. */
export const STATUS: string = "sidecar.mesh.io/status";

/** Names of what was added; `null` for nothing. */
interface Status {
  readonly initContainers: readonly string[] | null;
  readonly containers: readonly string[] | null;
  readonly volumes: readonly string[] | null;
  readonly imagePullSecrets: readonly string[] | null;
  readonly revision: string;
}

/** The value of the annotation for a rendered template. */
export function statusText({ spec }: Pod, revision: string): string {
  const names = (list: readonly { readonly name: string }[] | undefined) =>
    list === undefined || list.length === 0 ? null : list.map(({ name }) => name);
  const status: Status = {
    initContainers: names(spec?.initContainers),
    containers: names(spec?.containers),
    volumes: names(spec?.volumes),
    imagePullSecrets: names(spec?.imagePullSecrets),
    revision: revision || "default",
  };
  return JSON.stringify(status);
}

/** True if the pod was injected before. */
export function isInjected(pod: Pod): boolean {
  return parsedStatus(pod) !== undefined;
}

/** The facts about an earlier injection; `undefined` if there was none. */
export function earlierInjection(pod: Pod): EarlierInjection | undefined {
  const status = parsedStatus(pod);
  if (status === undefined) return undefined;
  return {
    names: new Set([...namesOf(status.containers), ...namesOf(status.initContainers)]),
    overrides: parsedOverrides(annotationsOf(pod)[OVERRIDES] ?? "") ??
      { containers: [], initContainers: [] },
  };
}

function namesOf(names: unknown): readonly string[] {
  return Array.isArray(names) ? names : [];
}

/** The pod as the user wrote it: without what an earlier injection added. */
export function stripped(pod: Pod): Pod {
  const status = parsedStatus(pod);
  if (status === undefined || pod.spec === undefined) return pod;
  const annotations = { ...annotationsOf(pod) };
  const overrides = recordedOverrides(annotations[OVERRIDES]);
  delete annotations[STATUS];
  delete annotations[OVERRIDES];
  const without = <T extends { readonly name: string }>(
    list: readonly T[] | undefined,
    names: readonly string[] | null | undefined,
  ) => {
    const removed = new Set(namesOf(names));
    return (list ?? []).filter(({ name }) => !removed.has(name));
  };
  const restored = (
    list: readonly Container[] | undefined,
    names: readonly string[] | null | undefined,
    own: readonly Container[],
  ) => [...without(list, names), ...own];
  const { spec } = pod;
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: {
      ...spec,
      containers: restored(spec.containers, status.containers, overrides.containers),
      ...spec.initContainers && {
        initContainers: restored(
          spec.initContainers,
          status.initContainers,
          overrides.initContainers,
        ),
      },
      ...spec.volumes && { volumes: without(spec.volumes, status.volumes) },
      ...spec.imagePullSecrets && {
        imagePullSecrets: without(spec.imagePullSecrets, status.imagePullSecrets),
      },
    },
  };
}

function parsedStatus(pod: Pod): Partial<Status> | undefined {
  const text = annotationsOf(pod)[STATUS];
  if (text === undefined || text === "") return undefined;
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null ? found as Partial<Status> : undefined;
  } catch {
    return undefined;
  }
}
