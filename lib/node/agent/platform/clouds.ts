/**
 * The metadata servers of three cloud platforms. Paths, headers and fields are those of the
 * platforms' published interfaces.
 *
 * @module
 */
import { ask, known, type MetadataServer, object, type PlatformFacts, text } from "./ask.ts";

/** Reads the metadata of a platform. Throws if the server is not of this platform. */
export type PlatformReader = (server: MetadataServer) => Promise<PlatformFacts>;

/** The instance metadata service, version 2: each request needs a token of the session. */
export const aws: PlatformReader = async (server) => {
  const token = await ask(server, "/latest/api/token", {
    "x-aws-ec2-metadata-token-ttl-seconds": "60",
  }, "PUT");
  if (!token) throw new Error("/latest/api/token: there is no token");
  const path = "/latest/dynamic/instance-identity/document";
  const document = object(await ask(server, path, { "x-aws-ec2-metadata-token": token }), path);
  const region = text(document.region);
  if (region === "") throw new Error(`${path}: the answer names no region`);
  const zone = text(document.availabilityZone);
  return {
    metadata: known({
      aws_region: region,
      aws_availability_zone: zone,
      aws_account_id: text(document.accountId),
      aws_instance_id: text(document.instanceId),
    }),
    locality: { region, zone, subzone: "" },
  };
};

const AZURE_PATH = "/metadata/instance?api-version=2021-02-01";

/** The instance metadata service. Tags have the prefix `azure_tag_`. */
export const azure: PlatformReader = async (server) => {
  const document = object(await ask(server, AZURE_PATH, { metadata: "true" }), AZURE_PATH);
  const compute = object(JSON.stringify(document.compute ?? null), AZURE_PATH);
  const region = text(compute.location);
  if (region === "") throw new Error(`${AZURE_PATH}: the answer names no location`);
  const tags = Array.isArray(compute.tagsList) ? compute.tagsList : [];
  return {
    metadata: known({
      azure_name: text(compute.name),
      azure_location: region,
      azure_zone: text(compute.zone),
      azure_resource_group: text(compute.resourceGroupName),
      azure_subscription_id: text(compute.subscriptionId),
      azure_vm_id: text(compute.vmId),
      ...Object.fromEntries(
        tags.map((tag) => Object(tag) as Record<string, unknown>)
          .filter(({ name }) => text(name) !== "")
          .map(({ name, value }) => [`azure_tag_${text(name)}`, text(value)]),
      ),
    }),
    locality: {
      region,
      zone: text(compute.zone),
      subzone: text(compute.platformFaultDomain),
    },
  };
};

const GCP_HEADERS = { "metadata-flavor": "Google" };

/**
 * The metadata server.
 *
 * @param given values that win, by key of the metadata
 */
export function gcp(given: Readonly<Record<string, string>> = {}): PlatformReader {
  return async (server) => {
    const value = async (path: string) =>
      await ask(server, `/computeMetadata/v1/${path}`, GCP_HEADERS) ?? "";
    const project = await value("project/project-id");
    if (project === "") throw new Error("project/project-id: the answer is empty");
    const [number, zonePath, cluster, instance, id] = await Promise.all([
      value("project/numeric-project-id"),
      value("instance/zone"),
      value("instance/attributes/cluster-name"),
      value("instance/name"),
      value("instance/id"),
    ]);
    return gcpFacts({
      gcp_project: project,
      gcp_project_number: number,
      // `projects/NUMBER/zones/ZONE`
      gcp_location: zonePath.split("/").at(-1) ?? "",
      gcp_gke_cluster_name: cluster,
      gcp_gce_instance: instance,
      gcp_gce_instance_id: id,
      ...given,
    });
  };
}

/** Facts from metadata: the location is a zone such as `europe-west1-b`. */
export function gcpFacts(metadata: Readonly<Record<string, string>>): PlatformFacts {
  const location = metadata.gcp_location ?? "";
  const zonal = /^(.+)-[a-z]$/.exec(location);
  return {
    metadata: known(metadata),
    locality: { region: zonal?.[1] ?? location, zone: zonal ? location : "", subzone: "" },
  };
}
