/**
 * Source of authorities: the ConfigMaps that Gateways, BackendTLSPolicies and XBackends name. Each is
 * followed alone: a cluster has many others. Those with parameters of Gateways are followed too, so that binding
 * knows that they are there.
 *
 * @module
 */
import type { Intake } from "../../../ingest/mod.ts";
import { scope } from "../../../../kit/log/mod.ts";
import {
  configMapKey,
  type ConfigObject,
  type Credential,
  type ObjectKey,
  objectKey,
  objectKeys,
} from "../../../model/mod.ts";
import {
  type BackendSpec,
  type BackendTlsPolicySpec,
  configMapsOfGateway,
  configMapsOfParameters,
  configMapsOfPolicy,
  type GatewayClassSpec,
  type GatewaySpec,
  parametersFaultIn,
  type WantedConfigMaps,
} from "../../../gateway_api/mod.ts";
import {
  follow,
  type Following,
  type FollowTiming,
  type ListItem,
  type OrchClient,
  types,
} from "../../../../kit/orch/mod.ts";
import { credentialOf, servedInstead } from "../../credential_parts.ts";
import { credentialFailures } from "../../credential_metrics.ts";
import { isRefused } from "../refused.ts";

const log = scope("credentials");

/** The key of a ConfigMap with certificates of authorities. */
const CONTENT = "ca.crt";
const LACKS = `there is no ${CONTENT}`;

/** Settings of the source. */
export interface AuthoritiesOptions {
  readonly client: OrchClient;
  readonly intake: Pick<Intake, "settings" | "synced">;
  /** The objects at the start, whose ConfigMaps are waited for. */
  readonly objects: readonly ConfigObject[];
  readonly timing?: Partial<FollowTiming>;
}

/** Watches the names of ConfigMaps; calls back when they change. */
export type WatchConfigMaps = (
  onChange: (names: WantedConfigMaps) => void,
) => { readonly value: WantedConfigMaps; close(): void };

/** The followed ConfigMaps. */
export interface AuthoritiesSource extends AsyncDisposable {
  /** Resolves when the ConfigMaps of the start were received, or the server refuses them. */
  readonly ready: Promise<void>;
  /** Follows those that the configuration names from now on. */
  watch(names: WatchConfigMaps): void;
}

type ConfigMapItem = ListItem & { readonly data?: Readonly<Record<string, string>> };

/** Begins with the ConfigMaps that the objects name. */
export function followAuthorities(options: AuthoritiesOptions): AuthoritiesSource {
  return new Authorities(options);
}

class Authorities implements AuthoritiesSource {
  readonly ready: Promise<void>;
  readonly #options: AuthoritiesOptions;
  readonly #followed = new Map<string, Following<Credential>>();
  readonly #rows = new Map<string, Credential>();
  /** Names of those that must have authorities. */
  #expected: ReadonlySet<string> = new Set();
  #watched: { close(): void } | undefined;

  constructor(options: AuthoritiesOptions) {
    this.#options = options;
    const known = this.#follow(namedBy(options.objects));
    this.ready = known.then(() => options.intake.synced());
  }

  watch(names: WatchConfigMaps): void {
    const watched = names((all) => void this.#follow(all));
    this.#watched = watched;
    void this.#follow(watched.value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watched?.close();
    await Promise.all([...this.#followed.values()].map((one) => one.close()));
  }

  /** Follows ConfigMaps of these names and no others; resolves when all are known or refused. */
  async #follow({ authorities, parameters }: WantedConfigMaps): Promise<void> {
    this.#expected = new Set(authorities);
    const names = [...new Set([...authorities, ...parameters])];
    const wanted = new Set(names);
    for (const [name, following] of this.#followed) {
      if (wanted.has(name)) continue;
      this.#followed.delete(name);
      void following.close().then(() => {
        if (!this.#followed.has(name)) this.#set(name, undefined);
      });
    }
    const begun = names.filter((name) => !this.#followed.has(name)).map((name) =>
      this.#begin(objectKeys.decode(name))
    );
    await Promise.all(begun);
  }

  #begin(key: ObjectKey): Promise<void> {
    const { client, timing } = this.#options;
    const name = objectKey(key);
    const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
    const following = follow<Credential>({
      client,
      type: types.CONFIG_MAP,
      selection: { namespace: key.namespace, fieldSelector: `metadata.name=${key.name}` },
      convert: contentOf,
      changed: ({ upserts, deletes }) => {
        for (const one of upserts) this.#set(name, one);
        if (upserts.length === 0 && deletes.length > 0) this.#set(name, undefined);
      },
      stateChanged({ fault }) {
        if (fault === undefined) return;
        log.warn("a ConfigMap with authorities cannot be followed; its last content stays in use", {
          configMap: name,
          reason: fault,
        });
        if (isRefused(fault)) refuse();
      },
      ...(timing === undefined ? {} : { timing }),
    });
    this.#followed.set(name, following);
    return Promise.race([following.synced, refused]);
  }

  /** A content that cannot be read leaves the last good one in use; without the key there is none. */
  #set(name: string, found: Credential | undefined): void {
    const before = this.#rows.get(name);
    if (before === undefined && found === undefined) return;
    const isWhole = found?.fault === undefined || found.fault === LACKS;
    const { parametersFault: _, ...kept } = before ?? {};
    const row = isWhole ? found : { ...kept, ...found };
    if (row === undefined) this.#rows.delete(name);
    else this.#rows.set(name, row);
    const isOther = row?.fault === LACKS && !this.#expected.has(name);
    if (row?.fault !== undefined && !isOther) {
      credentialFailures.inc();
      log.warn("authorities of a ConfigMap cannot be used", {
        configMap: name,
        problem: row.fault,
        serving: servedInstead(row.authorities !== undefined),
      });
    }
    const key = configMapKey(objectKeys.decode(name));
    this.#options.intake.settings({ credentials: new Map([[key, row]]) });
  }
}

/** The ConfigMaps that objects name. */
function namedBy(objects: readonly ConfigObject[]): WantedConfigMaps {
  const authorities = objects.flatMap(({ meta: { kind, namespace }, spec }) => {
    if (kind === "KubernetesGateway") return configMapsOfGateway(spec as GatewaySpec, namespace);
    if (kind === "BackendTLSPolicy") {
      return configMapsOfPolicy(spec as BackendTlsPolicySpec, namespace);
    }
    if (kind === "XBackend") return configMapsOfPolicy((spec as BackendSpec).tls ?? {}, namespace);
    return [];
  });
  const parameters = objects.flatMap(({ meta: { kind, namespace }, spec }) => {
    if (kind === "GatewayClass") {
      return configMapsOfParameters((spec as GatewayClassSpec).parametersRef, "");
    }
    if (kind !== "KubernetesGateway") return [];
    return configMapsOfParameters((spec as GatewaySpec).infrastructure?.parametersRef, namespace);
  });
  const names = (keys: readonly ObjectKey[]) => [...new Set(keys.map(objectKey))];
  return { authorities: names(authorities), parameters: names(parameters) };
}

function contentOf(item: ListItem): Credential {
  const { metadata: { namespace = "", name } } = item;
  const parametersFault = parametersFaultIn({ namespace, name }, (item as ConfigMapItem).data);
  const found = authoritiesOf(item);
  return parametersFault === undefined ? found : { ...found, parametersFault };
}

function authoritiesOf(item: ListItem): Credential {
  const text = (item as ConfigMapItem).data?.[CONTENT];
  if (text === undefined || text.trim() === "") return { fault: LACKS };
  const { files, problem } = credentialOf(new Map([[CONTENT, new TextEncoder().encode(text)]]));
  return problem === undefined ? files : { fault: problem };
}
