/**
 * The controllers of the daemon, each under its own leader election.
 *
 * @module
 */
import {
  ENABLE_LEADER_ELECTION,
  joinElection,
  REVISION,
  runRootCertificates,
  type Term,
} from "../../lib/controllers/mod.ts";
import { selectorsMatch } from "../../lib/ingest/mod.ts";
import type { Identity } from "./identity.ts";
import type { Settings } from "./settings.ts";
import type { Sources } from "./sources.ts";
import { POD_NAME } from "./variables.ts";

/** Inputs of the controllers. */
export interface ControllerInput {
  readonly settings: Settings;
  readonly sources: Sources;
  readonly identity: Identity;
}

/** A controller with the name of its lease. */
interface Elected {
  readonly name: string;
  readonly run: (term: Term) => Promise<void>;
}

/**
 * Takes part in the elections of the controllers that the environment selects. Without an
 * orchestrator there are none.
 */
export function startControllers(input: ControllerInput, stack: AsyncDisposableStack): void {
  const { sources: { client }, settings: { options } } = input;
  if (client === undefined) return;
  const process = `${POD_NAME.get() ?? Deno.hostname()}_${crypto.randomUUID().slice(0, 8)}`;
  const elections = controllersOf(input).map(({ name, run }) =>
    joinElection({
      client,
      namespace: options.namespace,
      name,
      identity: process,
      revision: revisionOf(),
      enabled: ENABLE_LEADER_ELECTION.get(),
      run: (signal) => run({ client, signal }),
    })
  );
  stack.defer(async () => {
    await Promise.all(elections.map((election) => election[Symbol.asyncDispose]()));
  });
}

/** The own revision. */
export function revisionOf(): string {
  return REVISION.get() || "default";
}

function controllersOf(input: ControllerInput): Elected[] {
  return [...rootCertificates(input)];
}

function rootCertificates({ sources, identity: { authority } }: ControllerInput): Elected[] {
  if (authority === undefined) return [];
  const roots = {
    current: () => authority.current().bundle.pem,
    onChange: (changed: () => void) => authority.onChange(changed),
  };
  const selection = {
    selects: (name: string, labels: Readonly<Record<string, string>>) =>
      selectorsMatch(sources.mesh().discoverySelectors, name, () => labels),
    onChange: (changed: () => void) => sources.onMesh(changed),
  };
  return [{
    name: "mesh-namespace-controller-election",
    run: (term) => runRootCertificates(term, { roots, selection }),
  }];
}
