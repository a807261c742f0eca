/**
 * Settings of the repair.
 *
 * @module
 */

/** The flags `--repair-*`. */
export interface RepairSettings {
  /** `--repair-enabled`; false: nothing is watched. */
  readonly enabled: boolean;
  /** `REPAIR_REPAIR_PODS`: set the rules in the pod's network namespace. */
  readonly repairPods: boolean;
  /** `--repair-delete-pods` */
  readonly deletePods: boolean;
  /** `--repair-label-pods` */
  readonly labelPods: boolean;
  /** `--repair-broken-pod-label-key` */
  readonly labelKey: string;
  /** `--repair-broken-pod-label-value` */
  readonly labelValue: string;
  /** `--repair-node-name`; empty: all nodes, without repair in place. */
  readonly nodeName: string;
  /** `--repair-sidecar-annotation` */
  readonly sidecarAnnotation: string;
  /** `--repair-init-container-name` */
  readonly initContainerName: string;
  /** `--repair-init-container-exit-code` */
  readonly initContainerExitCode: number;
  /** `--repair-init-container-termination-message`; empty: any message. */
  readonly initContainerTerminationMessage: string;
  /** `--repair-label-selectors` */
  readonly labelSelectors: string;
  /** `--repair-field-selectors` */
  readonly fieldSelectors: string;
}
