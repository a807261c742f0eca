/**
 * Selection of pods and containers by `--include` and `--exclude`. Pure.
 *
 * @module
 */

/** The properties of a pod that select it. */
export interface SelectablePod {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

type Matches = (pod: SelectablePod, container: string) => boolean;

/** A glob with `*` and `?` as an expression for a whole text. */
export function globOf(glob: string): RegExp {
  const source = glob.replace(/[\\^$.+()[\]{}|]/g, "\\$&").replaceAll("*", ".*").replaceAll(
    "?",
    ".",
  );
  return new RegExp(`^${source}$`, "s");
}

/**
 * A selection `NAMESPACES/DEPLOYMENTS/PODS/LABELS/ANNOTATIONS/CONTAINERS`: lists of globs with commas,
 * labels and annotations as `NAME=VALUE`; an empty part selects everything.
 */
export function selectionOf(text: string): Matches {
  const [namespaces, deployments, pods, labels, annotations, containers] = text.split("/")
    .map((part) => part.split(",").filter((one) => one !== ""));
  const any = (list: readonly string[] | undefined, value: string): boolean =>
    list === undefined || list.length === 0 || list.some((one) => globOf(one).test(value));
  const every = (
    list: readonly string[] | undefined,
    values: Readonly<Record<string, string>>,
  ): boolean =>
    (list ?? []).every((one) => {
      const [name = "", value = "*"] = one.split("=");
      return Object.hasOwn(values, name) && globOf(value).test(values[name] ?? "");
    });
  return (pod, container) =>
    any(namespaces, pod.namespace) && any(pods, pod.name) && any(containers, container) &&
    any(deployments, deploymentOf(pod.name)) &&
    every(labels, pod.labels) && every(annotations, pod.annotations);
}

/** The name of a Deployment by that of its pod, `NAME-HASH-ID`. */
function deploymentOf(pod: string): string {
  return pod.replace(/-[a-z0-9]{5,10}-[a-z0-9]{5}$/, "");
}
