/**
 * Controller: Deployments, Services and what else runs the Gateways of the Gateway API.
 *
 * @module
 */
import { intervalLogger, scope } from "../../../kit/log/mod.ts";
import {
  applyObject,
  deleteObject,
  type Following,
  getObject,
  isNotFound,
  type ListItem,
  type OrchObject,
  type ResourceType,
  serverVersion,
  trimmed,
  types,
} from "../../../kit/orch/mod.ts";
import { GATEWAY_NAME_LABEL, objectKey } from "../../../mesh/model/mod.ts";
import { MANAGER, observe, reconcile, type Term, Wake } from "../reconcile.ts";
import { applyAll, type Pass } from "../writes.ts";
import { Applied } from "./applied.ts";
import { type ClassNames, createClass, missingClasses } from "./classes.ts";
import { ReferredConfigMaps } from "./config_maps.ts";
import type { GatewayContext, GatewaySettings } from "./desired.ts";
import { gatewayOfSet, MANAGED, MANAGED_LABEL } from "./managed.ts";
import { DEFAULTS_LABEL, isConfigMapReference } from "./overlays.ts";
import { Rendered } from "./rendered.ts";
import {
  type GatewayFault,
  type GatewayRules,
  keyOf,
  type ObservedGateways,
  ownersOf,
  type OwnGateway,
  ownGateways,
  planOf,
} from "./plan.ts";
import {
  AUTOSCALER,
  type ConfigMapItem,
  DISRUPTION_BUDGET,
  GATEWAY,
  GATEWAY_CLASS,
  type GatewayClassItem,
  type GatewayItem,
  LISTENER_SET,
  type ListenerSetItem,
} from "./types.ts";

const log = scope("controllers");
const logFault = intervalLogger(log);

/** Types of the objects that run Gateways, in the order in which they are written. */
const MANAGED_TYPES: readonly ResourceType[] = [
  types.SERVICE_ACCOUNT,
  types.DEPLOYMENT,
  types.SERVICE,
  AUTOSCALER,
  DISRUPTION_BUDGET,
];

/** Writes at the same time. */
const WORKERS = 4;

/** Settings and sources of the controller. */
export interface GatewayControllerInput extends ClassNames {
  /** False: nothing is deployed. */
  readonly deploys: boolean;
  /** False: no classes are created. */
  readonly createsClasses: boolean;
  /** Resolves when the settings are complete. */
  readonly synced: Promise<unknown>;
  readonly settings: () => Omit<GatewaySettings, "kubeVersion">;
  readonly rules: () => Omit<GatewayRules, "controllerName" | "waypoints" | "eastWest">;
  /** Calls back after changes of settings or rules; returns a function that ends this. */
  onChange(changed: () => void): () => void;
}

/** Runs the controller until the end of the term. */
export async function runGateways(term: Term, input: GatewayControllerInput): Promise<void> {
  const wake = new Wake();
  const { major, minor } = await serverVersion(term.client, { signal: term.signal });
  const end = input.onChange(wake.poke);
  await using controller = new Controller(term, wake, input, major * 100 + minor);
  try {
    await reconcile(term, wake, {
      name: "gateways",
      follows: controller.follows(),
      pass: (current) => controller.pass(current),
    });
  } finally {
    end();
  }
}

class Controller implements AsyncDisposable {
  readonly #term: Term;
  readonly #input: GatewayControllerInput;
  readonly #kubeVersion: number;
  readonly #applied = new Applied();
  readonly #rendered = new Rendered();
  readonly #gateways: Following<GatewayItem>;
  readonly #classes: Following<GatewayClassItem>;
  readonly #sets: Following<ListenerSetItem>;
  readonly #namespaces: Following<ListItem>;
  readonly #managed: ReadonlyMap<string, Following<ListItem>>;
  readonly #defaults: Following<ConfigMapItem>;
  readonly #referred: ReferredConfigMaps;

  constructor(term: Term, wake: Wake, input: GatewayControllerInput, kubeVersion: number) {
    this.#term = term;
    this.#input = input;
    this.#kubeVersion = kubeVersion;
    this.#gateways = observe<GatewayItem>(term, GATEWAY, { wake, convert: withoutStatus });
    this.#classes = observe<GatewayClassItem>(term, GATEWAY_CLASS, {
      wake,
      convert: withoutStatus,
    });
    this.#sets = observe<ListenerSetItem>(term, LISTENER_SET, { wake, convert: withoutStatus });
    this.#namespaces = observe(term, types.NAMESPACE, { wake, convert: withoutStatus });
    // Not every object of a waypoint has the label of managed ones.
    const labelSelector = input.waypoints || input.eastWest
      ? GATEWAY_NAME_LABEL
      : `${GATEWAY_NAME_LABEL},${MANAGED_LABEL}=${MANAGED}`;
    this.#managed = new Map(
      MANAGED_TYPES.map((type) => [
        type.kind,
        observe(term, type, { wake, selection: { labelSelector }, convert: withoutStatus }),
      ]),
    );
    this.#defaults = observe<ConfigMapItem>(term, types.CONFIG_MAP, {
      wake,
      selection: { namespace: input.settings().rootNamespace, labelSelector: DEFAULTS_LABEL },
    });
    this.#referred = new ReferredConfigMaps(term, wake);
  }

  follows(): Pick<Following<unknown>, "synced" | "close">[] {
    const settings = {
      synced: this.#input.synced.then(() => {}),
      close: () => Promise.resolve(),
    };
    return [
      settings,
      this.#gateways,
      this.#classes,
      this.#sets,
      this.#namespaces,
      this.#defaults,
      ...this.#managed.values(),
    ];
  }

  async pass(current: Pass): Promise<number> {
    const { deploys, createsClasses, controllerName, waypoints, eastWest } = this.#input;
    const classes = createsClasses && !this.#classes.state().absent
      ? missingClasses(this.#classes.values(), this.#input)
      : [];
    const creations = classes.map((one) => () => createClass(this.#term.client, one));
    if (!deploys) return await applyAll(current, creations);
    const observed = this.#observed();
    const own = ownGateways(observed, {
      ...this.#input.rules(),
      controllerName,
      waypoints,
      eastWest,
    });
    await this.#referred.follow(referencesOf(own));
    if (current.signal.aborted) return 0;
    const { wanted, obsolete, faults } = planOf(
      own,
      observed.managed,
      { ...this.#context(), waypoints, eastWest },
      this.#rendered,
    );
    faults.forEach(tellFault);
    const keys = new Set(wanted.map(({ object }) => keyOf(object.kind, object.metadata)));
    this.#applied.keep(keys);
    const due = wanted.filter(({ object }) =>
      this.#applied.isDue(keyOf(object.kind, object.metadata), object, this.#observedOf(object))
    );
    const written = await applyAll(
      current,
      [
        ...creations,
        ...due.map(({ gateway, object }) => () => this.#apply(gateway, object)),
      ],
      { workers: WORKERS },
    );
    const removals = obsolete.map(({ kind, item }) => () => this.#remove(kind, item));
    return written + await applyAll(current, removals);
  }

  #observed(): ObservedGateways {
    return {
      gateways: this.#gateways.values(),
      classes: this.#classes.values(),
      namespaces: this.#namespaces.values(),
      managed: [...this.#managed].flatMap(([kind, following]) =>
        following.values().map((item) => ({ kind, item }))
      ),
    };
  }

  #context(): GatewayContext {
    const sets = Map.groupBy(this.#sets.values(), gatewayOfSet);
    return {
      settings: { ...this.#input.settings(), kubeVersion: this.#kubeVersion },
      listenerSets: ({ metadata: { namespace = "", name } }) =>
        sets.get(objectKey({ namespace, name })) ?? [],
      labelsOf: (name) => this.#namespaces.get({ name })?.metadata.labels ?? {},
      configMap: (namespace, name) => this.#referred.get(namespace, name),
      defaults: this.#defaults.values(),
    };
  }

  #observedOf({ kind, metadata: { namespace = "", name } }: OrchObject): ListItem | undefined {
    return this.#managed.get(kind)?.get({ namespace, name });
  }

  /** Applies an object, unless one of that name belongs to somebody else. */
  async #apply(gateway: GatewayItem, object: OrchObject): Promise<void> {
    const { client } = this.#term;
    const type = typeOf(object.kind);
    const owner = gateway.metadata.uid ?? "";
    if (!await this.#isFree(type, object, owner)) {
      const what = `${object.kind} ${object.metadata.name} exists and belongs to somebody else`;
      tellFault({
        gateway,
        reason: what,
        remedy:
          "Remove it, or choose another name by the annotation gateway.mesh.io/name-override.",
      });
      return;
    }
    const stored = await applyObject(client, type, object, { manager: MANAGER, force: true })
      // The Gateway's namespace is gone.
      .catch((error) => {
        if (!isNotFound(error)) throw error;
      });
    if (stored === undefined) return;
    this.#applied.note(
      keyOf(object.kind, object.metadata),
      object,
      withoutStatus(trimmed(stored as ListItem)),
    );
  }

  async #isFree(type: ResourceType, object: OrchObject, owner: string): Promise<boolean> {
    const seen = this.#observedOf(object);
    if (seen !== undefined && ownersOf(seen.metadata).includes(owner)) return true;
    try {
      const found = await getObject<OrchObject>(this.#term.client, type, object.metadata);
      return ownersOf(found.metadata as ListItem["metadata"]).includes(owner);
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  async #remove(kind: string, { metadata }: ListItem): Promise<void> {
    const { name, namespace = "", resourceVersion } = metadata;
    const options = resourceVersion === undefined ? {} : { resourceVersion };
    await deleteObject(this.#term.client, typeOf(kind), { namespace, name }, options)
      .catch((error) => {
        if (!isNotFound(error)) throw error;
      });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#referred[Symbol.asyncDispose]();
  }
}

function typeOf(kind: string): ResourceType {
  return MANAGED_TYPES.find((one) => one.kind === kind)!;
}

/** The ConfigMaps that Gateways and their classes refer to. */
function referencesOf(own: readonly OwnGateway[]): { namespace: string; name: string }[] {
  return own.flatMap(({ gateway: { metadata, spec }, of }) => {
    const references = [
      { reference: spec.infrastructure?.parametersRef, namespace: metadata.namespace ?? "" },
      { reference: of.spec.parametersRef, namespace: of.spec.parametersRef?.namespace ?? "" },
    ];
    return references.flatMap(({ reference, namespace }) =>
      reference === undefined || namespace === "" || !isConfigMapReference(reference)
        ? []
        : [{ namespace, name: reference.name }]
    );
  });
}

/** An object without its status, which the controller does not read. */
function withoutStatus<T extends ListItem>(item: T): T {
  return { ...item, status: undefined };
}

function tellFault({ gateway: { metadata }, reason, remedy }: GatewayFault): void {
  const { namespace = "", name } = metadata;
  const gateway = objectKey({ namespace, name });
  logFault(`${gateway} ${reason}`)?.warn("a gateway is not deployed", {
    gateway,
    reason,
    ...(remedy === undefined ? {} : { remedy }),
  });
}
