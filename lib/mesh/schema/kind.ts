/**
 * The description of a kind: one value has everything that is specific to a kind.
 *
 * @module
 */
import type { DescMessage, Message } from "../../kit/proto/mod.ts";
import type { ObjectIdentity, Report } from "./problem.ts";

export interface KindName {
  /** The name among all kinds of Mesh. */
  readonly kind: string;
  /** The name in manifests, if another kind of Mesh has it, too. */
  readonly written?: string;
  readonly group: string;
  /** Storage version first. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly scope: "namespaced" | "cluster";
}

/** The name of a kind in manifests and in the orchestrator's API. */
export function writtenKind({ kind, written }: Pick<KindName, "kind" | "written">): string {
  return written ?? kind;
}

/** Fields of a message that have an effect. A document that sets another field gets a warning. */
export interface EffectiveFields {
  /** Paths of fields, each with all fields below it; `[]` stands for the items of a list. */
  readonly paths: readonly string[];
  /** Values of effective fields that have no effect themselves, by path. */
  readonly ineffectiveValues?: Readonly<Record<string, readonly string[]>>;
}

/** A kind that is read; `Spec` is the message of its specification. */
export interface Kind<Spec = Message> extends KindName {
  readonly schema: DescMessage;
  /** Set where only metadata is used: the specification is ignored and read as empty. */
  readonly metadataOnly?: boolean;
  readonly effective: EffectiveFields;
  /**
   * Checks the rules that types cannot express; paths begin with `spec`. Kinds whose objects can have
   * thousands of parts check them in steps.
   */
  validate(spec: Spec, identity: ObjectIdentity, report: Report): Generator<void, void> | void;
  /** Checks the specification as it is written, for faults that the message no longer shows. */
  checkWritten?(value: unknown, report: Report): void;
  /** Checks the annotations that change what the specification means. */
  checkAnnotations?(annotations: Readonly<Record<string, string>>, report: Report): void;
}

/** A kind with an input table: `Name` is the kind, `Table` the name of the table. */
export interface TabledKind<Name extends string, Table extends string, Spec> extends Kind<Spec> {
  readonly kind: Name;
  readonly table: Table;
}

/** Group and versions of most kinds of traffic. */
export const NETWORKING_API: Pick<KindName, "group" | "versions"> = {
  group: "networking.mesh.io",
  versions: ["v1", "v1alpha3", "v1beta1"],
};

/** Group and versions of the kinds of access and authentication. */
export const SECURITY_API: Pick<KindName, "group" | "versions"> = {
  group: "security.mesh.io",
  versions: ["v1", "v1beta1"],
};
