/**
 * Injects into the objects that hold pods, such as Deployments.
 *
 * @module
 */
import { decide } from "./decide.ts";
import { type InjectionInput, injectPod } from "./inject.ts";
import type { Json, Pod, PodMeta } from "./objects.ts";
import { isMap } from "../../kit/template/mod.ts";
import { workloadOf } from "./workload_meta.ts";

/** The result for one object. */
export interface InjectedObject {
  /** The object, injected or as it was. */
  readonly object: Json;
  /** True if a proxy was added. */
  readonly injected: boolean;
  /** Objects that hold a pod and stay as they were, with the reason. */
  readonly refused: readonly RefusedObject[];
}

/** An object whose pod gets no proxy. */
export interface RefusedObject {
  /** Kind and name. */
  readonly name: string;
  readonly reason: string;
}

/**
 * Injects into a Pod, into an object with `spec.template` or `spec.jobTemplate`, and into the elements of
 * a List. Other objects stay as they are.
 *
 * @param fallback the namespace of objects that name none
 * @throws MeshError of `injectPod`
 */
export function injectObject(
  object: Json,
  input: Omit<InjectionInput, "workload">,
  fallback: string = "default",
): InjectedObject {
  if (object.kind === "List" && Array.isArray(object.items)) {
    const items = object.items.map((one) => injectObject(one as Json, input, fallback));
    return {
      object: { ...object, items: items.map((one) => one.object) },
      injected: items.some((one) => one.injected),
      refused: items.flatMap((one) => one.refused),
    };
  }
  const meta = (isMap(object.metadata) ? object.metadata : {}) as PodMeta;
  const namespace = meta.namespace ?? fallback;
  if (object.kind === "Pod") {
    const workload = workloadOf(meta, namespace);
    const wrap = (pod: Pod) => pod;
    return injected(object as Pod, { ...input, workload }, { namespace, object, wrap });
  }
  const spec = isMap(object.spec) ? object.spec as Json : {};
  const workload = {
    apiVersion: String(object.apiVersion ?? ""),
    kind: String(object.kind ?? ""),
    name: meta.name ?? "",
    namespace,
  };
  const cron = isMap(spec.jobTemplate) ? spec.jobTemplate as Json : undefined;
  const holder = cron && isMap(cron.spec) ? cron.spec as Json : spec;
  if (!isMap(holder.template) || !isMap(holder.template.spec)) {
    return { object, injected: false, refused: [] };
  }
  const template = holder.template as Pod;
  const wrap = (pod: Pod) => {
    const inner = { ...holder, template: pod };
    return { ...object, spec: cron ? { ...spec, jobTemplate: { ...cron, spec: inner } } : inner };
  };
  return injected(template, { ...input, workload }, { namespace, object, wrap });
}

function injected(
  pod: Pod,
  input: InjectionInput,
  { namespace, object, wrap }: {
    readonly namespace: string;
    /** The object that holds the pod. */
    readonly object: Json;
    /** The object with another pod. */
    readonly wrap: (pod: Pod) => Json;
  },
): InjectedObject {
  const decision = decide(pod, namespace, input.config);
  if (!decision.inject) {
    const { name = "" } = (isMap(object.metadata) ? object.metadata : {}) as PodMeta;
    const refused = [{ name: `${object.kind}/${name}`, reason: decision.reason }];
    return { object, injected: false, refused };
  }
  return { object: wrap(injectPod(pod, input)), injected: true, refused: [] };
}
