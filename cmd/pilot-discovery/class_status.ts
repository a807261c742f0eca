/**
 * The parts of the status of GatewayClasses that come from objects beside the mesh: the version of the
 * definitions, and the ConfigMaps with the defaults of a class.
 *
 * @module
 */
import {
  type BesideItem,
  DEFAULTS_LABEL,
  type FollowedStatus,
  type GatewayApiObjectStatus,
} from "../../lib/cluster/controllers/mod.ts";
import {
  type Condition,
  conditionsAt,
  parametersFaultIn,
  VERSION_ANNOTATION,
  versionCondition,
} from "../../lib/mesh/gateway_api/mod.ts";

/** The status of classes, the same object as long as nothing has changed. */
export class ClassStatus {
  #known = new WeakMap<GatewayApiObjectStatus, GatewayApiObjectStatus>();
  #definition: { readonly version: string | undefined } | undefined;
  /** Name of a class → the fault of its defaults. */
  #faults: ReadonlyMap<string, string> = new Map();

  /** @param definition undefined: it is not known */
  seeDefinition(definition: BesideItem | undefined): void {
    const found = definition && { version: definition.metadata.annotations?.[VERSION_ANNOTATION] };
    const isSame = found?.version === this.#definition?.version &&
      (found === undefined) === (this.#definition === undefined);
    if (isSame) return;
    this.#definition = found;
    this.#known = new WeakMap();
  }

  /** @param items ConfigMaps with defaults of classes */
  seeDefaults(items: readonly BesideItem[]): void {
    const faults = new Map<string, string>();
    const sorted = items.toSorted((a, b) => a.metadata.name < b.metadata.name ? -1 : 1);
    for (const { metadata: { namespace = "", name, labels }, data } of sorted) {
      const className = labels?.[DEFAULTS_LABEL];
      const fault = parametersFaultIn({ namespace, name }, data);
      if (className === undefined || fault === undefined || faults.has(className)) continue;
      faults.set(className, fault);
    }
    const isSame = faults.size === this.#faults.size &&
      [...faults].every(([className, fault]) => this.#faults.get(className) === fault);
    if (isSame) return;
    this.#faults = faults;
    this.#known = new WeakMap();
  }

  /** The whole status of a class, followed. */
  followed(className: string, status: FollowedStatus): FollowedStatus {
    return {
      read: () => {
        const found = status.read();
        return found && this.statusOf(className, found);
      },
      close: () => status.close(),
    };
  }

  /** The whole status of a class. */
  statusOf(className: string, status: GatewayApiObjectStatus): GatewayApiObjectStatus {
    const fault = this.#faults.get(className);
    if (this.#definition === undefined && fault === undefined) return status;
    const found = this.#known.get(status);
    if (found !== undefined) return found;
    const { conditions = [] } = status;
    const generation = conditions[0]?.observedGeneration ?? 0;
    const version = this.#definition === undefined
      ? []
      : [versionCondition(generation, this.#definition.version)];
    const own = fault === undefined ? conditions : withFault(conditions, generation, fault);
    const complete = { ...status, conditions: [...own, ...version] };
    this.#known.set(status, complete);
    return complete;
  }
}

/** The conditions of a class with defaults that cannot be used. Another fault of it precedes. */
function withFault(
  conditions: NonNullable<GatewayApiObjectStatus["conditions"]>,
  generation: number,
  fault: string,
): NonNullable<GatewayApiObjectStatus["conditions"]> {
  const refused: Condition = conditionsAt(generation).no("Accepted", {
    reason: "InvalidParameters",
    message: `defaults of the class: ${fault}`,
  });
  return conditions.map((one) => one.type === "Accepted" && one.status === "True" ? refused : one);
}
