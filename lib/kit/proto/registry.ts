/**
 * The types in `Any` fields of served resources, for showing resources as JSON.
 *
 * @module
 */
import { createRegistry, type DescFile, type Registry } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { file_google_protobuf_wrappers } from "@bufbuild/protobuf/wkt";
import { EXTENSION_FILES } from "./extensions.ts";
import { file_envoy_extensions_access_loggers_filters_cel_v3_cel } from "#envoy/extensions/access_loggers/filters/cel/v3/cel_pb.ts";
import { file_envoy_extensions_access_loggers_grpc_v3_als } from "#envoy/extensions/access_loggers/grpc/v3/als_pb.ts";
import { file_envoy_extensions_access_loggers_open_telemetry_v3_logs_service } from "#envoy/extensions/access_loggers/open_telemetry/v3/logs_service_pb.ts";
import { file_envoy_extensions_access_loggers_stats_v3_stats } from "#envoy/extensions/access_loggers/stats/v3/stats_pb.ts";
import { file_envoy_extensions_filters_http_header_to_metadata_v3_header_to_metadata } from "#envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb.ts";
import { file_envoy_extensions_filters_http_upstream_codec_v3_upstream_codec } from "#envoy/extensions/filters/http/upstream_codec/v3/upstream_codec_pb.ts";
import { file_envoy_extensions_request_id_uuid_v3_uuid } from "#envoy/extensions/request_id/uuid/v3/uuid_pb.ts";
import { file_envoy_extensions_tracers_opentelemetry_resource_detectors_v3_environment_resource_detector } from "#envoy/extensions/tracers/opentelemetry/resource_detectors/v3/environment_resource_detector_pb.ts";
import { file_envoy_extensions_tracers_opentelemetry_resource_detectors_v3_dynatrace_resource_detector } from "#envoy/extensions/tracers/opentelemetry/resource_detectors/v3/dynatrace_resource_detector_pb.ts";
import { file_envoy_extensions_tracers_opentelemetry_samplers_v3_dynatrace_sampler } from "#envoy/extensions/tracers/opentelemetry/samplers/v3/dynatrace_sampler_pb.ts";
import { file_envoy_config_trace_v3_datadog } from "#envoy/config/trace/v3/datadog_pb.ts";
import { file_envoy_config_trace_v3_opentelemetry } from "#envoy/config/trace/v3/opentelemetry_pb.ts";
import { file_envoy_config_trace_v3_skywalking } from "#envoy/config/trace/v3/skywalking_pb.ts";
import { file_envoy_config_trace_v3_zipkin } from "#envoy/config/trace/v3/zipkin_pb.ts";
import { file_envoy_admin_v3_config_dump } from "#envoy/admin/v3/config_dump_pb.ts";
import { file_envoy_admin_v3_config_dump_shared } from "#envoy/admin/v3/config_dump_shared_pb.ts";
import { file_envoy_config_cluster_v3_cluster } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { file_envoy_config_core_v3_extension } from "#envoy/config/core/v3/extension_pb.ts";
import { file_envoy_config_endpoint_v3_endpoint } from "#envoy/config/endpoint/v3/endpoint_pb.ts";
import { file_envoy_config_listener_v3_listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { file_envoy_config_route_v3_route } from "#envoy/config/route/v3/route_pb.ts";
import { file_envoy_config_route_v3_route_components } from "#envoy/config/route/v3/route_components_pb.ts";
import { file_envoy_extensions_access_loggers_file_v3_file } from "#envoy/extensions/access_loggers/file/v3/file_pb.ts";
import { file_envoy_extensions_access_loggers_stream_v3_stream } from "#envoy/extensions/access_loggers/stream/v3/stream_pb.ts";
import { file_envoy_extensions_filters_http_cors_v3_cors } from "#envoy/extensions/filters/http/cors/v3/cors_pb.ts";
import { file_envoy_extensions_filters_http_ext_authz_v3_ext_authz } from "#envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb.ts";
import { file_envoy_extensions_filters_http_fault_v3_fault } from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import { file_envoy_extensions_filters_http_grpc_stats_v3_config } from "#envoy/extensions/filters/http/grpc_stats/v3/config_pb.ts";
import { file_envoy_extensions_filters_http_grpc_web_v3_grpc_web } from "#envoy/extensions/filters/http/grpc_web/v3/grpc_web_pb.ts";
import { file_envoy_extensions_filters_http_jwt_authn_v3_config } from "#envoy/extensions/filters/http/jwt_authn/v3/config_pb.ts";
import { file_envoy_extensions_filters_http_rbac_v3_rbac } from "#envoy/extensions/filters/http/rbac/v3/rbac_pb.ts";
import { file_envoy_extensions_filters_http_router_v3_router } from "#envoy/extensions/filters/http/router/v3/router_pb.ts";
import { file_envoy_extensions_filters_listener_http_inspector_v3_http_inspector } from "#envoy/extensions/filters/listener/http_inspector/v3/http_inspector_pb.ts";
import { file_envoy_extensions_filters_listener_original_dst_v3_original_dst } from "#envoy/extensions/filters/listener/original_dst/v3/original_dst_pb.ts";
import { file_envoy_extensions_filters_listener_tls_inspector_v3_tls_inspector } from "#envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.ts";
import { file_envoy_extensions_filters_network_ext_authz_v3_ext_authz } from "#envoy/extensions/filters/network/ext_authz/v3/ext_authz_pb.ts";
import { file_envoy_extensions_filters_network_http_connection_manager_v3_http_connection_manager } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { file_envoy_extensions_filters_network_rbac_v3_rbac } from "#envoy/extensions/filters/network/rbac/v3/rbac_pb.ts";
import { file_envoy_extensions_filters_network_tcp_proxy_v3_tcp_proxy } from "#envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.ts";
import { file_envoy_extensions_load_balancing_policies_client_side_weighted_round_robin_v3_client_side_weighted_round_robin } from "#envoy/extensions/load_balancing_policies/client_side_weighted_round_robin/v3/client_side_weighted_round_robin_pb.ts";
import { file_envoy_extensions_load_balancing_policies_least_request_v3_least_request } from "#envoy/extensions/load_balancing_policies/least_request/v3/least_request_pb.ts";
import { file_envoy_extensions_load_balancing_policies_round_robin_v3_round_robin } from "#envoy/extensions/load_balancing_policies/round_robin/v3/round_robin_pb.ts";
import { file_envoy_extensions_load_balancing_policies_wrr_locality_v3_wrr_locality } from "#envoy/extensions/load_balancing_policies/wrr_locality/v3/wrr_locality_pb.ts";
import { file_envoy_extensions_path_match_uri_template_v3_uri_template_match } from "#envoy/extensions/path/match/uri_template/v3/uri_template_match_pb.ts";
import { file_envoy_extensions_retry_host_previous_hosts_v3_previous_hosts } from "#envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb.ts";
import { file_envoy_extensions_retry_priority_previous_priorities_v3_previous_priorities_config } from "#envoy/extensions/retry/priority/previous_priorities/v3/previous_priorities_config_pb.ts";
import { file_envoy_extensions_transport_sockets_internal_upstream_v3_internal_upstream } from "#envoy/extensions/transport_sockets/internal_upstream/v3/internal_upstream_pb.ts";
import { file_envoy_extensions_transport_sockets_raw_buffer_v3_raw_buffer } from "#envoy/extensions/transport_sockets/raw_buffer/v3/raw_buffer_pb.ts";
import { file_envoy_extensions_transport_sockets_tls_v3_tls } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { file_envoy_extensions_upstreams_http_v3_http_protocol_options } from "#envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { file_mesh_mesh_v1alpha1_proxy } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { file_mesh_networking_nds_v1_nds } from "#mesh/networking/nds/v1/nds_pb.ts";

const FILES: readonly DescFile[] = [
  file_envoy_extensions_access_loggers_filters_cel_v3_cel,
  file_envoy_extensions_access_loggers_grpc_v3_als,
  file_envoy_extensions_access_loggers_open_telemetry_v3_logs_service,
  file_envoy_extensions_access_loggers_stats_v3_stats,
  file_envoy_extensions_filters_http_header_to_metadata_v3_header_to_metadata,
  file_envoy_extensions_filters_http_upstream_codec_v3_upstream_codec,
  file_envoy_extensions_request_id_uuid_v3_uuid,
  file_envoy_extensions_tracers_opentelemetry_resource_detectors_v3_environment_resource_detector,
  file_envoy_extensions_tracers_opentelemetry_resource_detectors_v3_dynatrace_resource_detector,
  file_envoy_extensions_tracers_opentelemetry_samplers_v3_dynatrace_sampler,
  file_envoy_config_trace_v3_datadog,
  file_envoy_config_trace_v3_opentelemetry,
  file_envoy_config_trace_v3_skywalking,
  file_envoy_config_trace_v3_zipkin,
  file_envoy_admin_v3_config_dump,
  file_envoy_admin_v3_config_dump_shared,
  file_envoy_config_cluster_v3_cluster,
  file_envoy_config_core_v3_extension,
  file_envoy_config_endpoint_v3_endpoint,
  file_envoy_config_listener_v3_listener,
  file_envoy_config_route_v3_route,
  file_envoy_config_route_v3_route_components,
  file_envoy_extensions_access_loggers_file_v3_file,
  file_envoy_extensions_access_loggers_stream_v3_stream,
  file_envoy_extensions_filters_http_cors_v3_cors,
  file_envoy_extensions_filters_http_ext_authz_v3_ext_authz,
  file_envoy_extensions_filters_http_fault_v3_fault,
  file_envoy_extensions_filters_http_grpc_stats_v3_config,
  file_envoy_extensions_filters_http_grpc_web_v3_grpc_web,
  file_envoy_extensions_filters_http_jwt_authn_v3_config,
  file_envoy_extensions_filters_http_rbac_v3_rbac,
  file_envoy_extensions_filters_http_router_v3_router,
  file_envoy_extensions_filters_listener_http_inspector_v3_http_inspector,
  file_envoy_extensions_filters_listener_original_dst_v3_original_dst,
  file_envoy_extensions_filters_listener_tls_inspector_v3_tls_inspector,
  file_envoy_extensions_filters_network_ext_authz_v3_ext_authz,
  file_envoy_extensions_filters_network_http_connection_manager_v3_http_connection_manager,
  file_envoy_extensions_filters_network_rbac_v3_rbac,
  file_envoy_extensions_filters_network_tcp_proxy_v3_tcp_proxy,
  file_envoy_extensions_load_balancing_policies_client_side_weighted_round_robin_v3_client_side_weighted_round_robin,
  file_envoy_extensions_load_balancing_policies_least_request_v3_least_request,
  file_envoy_extensions_load_balancing_policies_round_robin_v3_round_robin,
  file_envoy_extensions_load_balancing_policies_wrr_locality_v3_wrr_locality,
  file_envoy_extensions_path_match_uri_template_v3_uri_template_match,
  file_envoy_extensions_retry_host_previous_hosts_v3_previous_hosts,
  file_envoy_extensions_retry_priority_previous_priorities_v3_previous_priorities_config,
  file_envoy_extensions_transport_sockets_internal_upstream_v3_internal_upstream,
  file_envoy_extensions_transport_sockets_raw_buffer_v3_raw_buffer,
  file_envoy_extensions_transport_sockets_tls_v3_tls,
  file_envoy_extensions_upstreams_http_v3_http_protocol_options,
  file_google_protobuf_wrappers,
  file_mesh_mesh_v1alpha1_proxy,
  file_mesh_networking_nds_v1_nds,
  ...EXTENSION_FILES,
];

/**
 * All types that Mesh serves or nests. They are listed one by one, because listing a file's types
 * would parse it.
 */
export const SERVED_TYPES: Registry = createRegistry(
  ...FILES.flatMap((file) => [...nestedTypes(file)]),
);
