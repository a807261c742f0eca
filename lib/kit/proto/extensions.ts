/**
 * Extensions that only patches use. Others must be given as a `TypedStruct`, which Envoy converts.
 *
 * @module
 */
import type { DescFile } from "@bufbuild/protobuf";
import { file_envoy_extensions_clusters_aggregate_v3_cluster } from "#envoy/extensions/clusters/aggregate/v3/cluster_pb.ts";
import { file_envoy_extensions_clusters_dynamic_forward_proxy_v3_cluster } from "#envoy/extensions/clusters/dynamic_forward_proxy/v3/cluster_pb.ts";
import { file_envoy_extensions_compression_brotli_compressor_v3_brotli } from "#envoy/extensions/compression/brotli/compressor/v3/brotli_pb.ts";
import { file_envoy_extensions_compression_brotli_decompressor_v3_brotli } from "#envoy/extensions/compression/brotli/decompressor/v3/brotli_pb.ts";
import { file_envoy_extensions_compression_gzip_compressor_v3_gzip } from "#envoy/extensions/compression/gzip/compressor/v3/gzip_pb.ts";
import { file_envoy_extensions_compression_gzip_decompressor_v3_gzip } from "#envoy/extensions/compression/gzip/decompressor/v3/gzip_pb.ts";
import { file_envoy_extensions_filters_http_adaptive_concurrency_v3_adaptive_concurrency } from "#envoy/extensions/filters/http/adaptive_concurrency/v3/adaptive_concurrency_pb.ts";
import { file_envoy_extensions_filters_http_admission_control_v3_admission_control } from "#envoy/extensions/filters/http/admission_control/v3/admission_control_pb.ts";
import { file_envoy_extensions_filters_http_bandwidth_limit_v3_bandwidth_limit } from "#envoy/extensions/filters/http/bandwidth_limit/v3/bandwidth_limit_pb.ts";
import { file_envoy_extensions_filters_http_basic_auth_v3_basic_auth } from "#envoy/extensions/filters/http/basic_auth/v3/basic_auth_pb.ts";
import { file_envoy_extensions_filters_http_buffer_v3_buffer } from "#envoy/extensions/filters/http/buffer/v3/buffer_pb.ts";
import { file_envoy_extensions_filters_http_compressor_v3_compressor } from "#envoy/extensions/filters/http/compressor/v3/compressor_pb.ts";
import { file_envoy_extensions_filters_http_csrf_v3_csrf } from "#envoy/extensions/filters/http/csrf/v3/csrf_pb.ts";
import { file_envoy_extensions_filters_http_custom_response_v3_custom_response } from "#envoy/extensions/filters/http/custom_response/v3/custom_response_pb.ts";
import { file_envoy_extensions_filters_http_decompressor_v3_decompressor } from "#envoy/extensions/filters/http/decompressor/v3/decompressor_pb.ts";
import { file_envoy_extensions_filters_http_dynamic_forward_proxy_v3_dynamic_forward_proxy } from "#envoy/extensions/filters/http/dynamic_forward_proxy/v3/dynamic_forward_proxy_pb.ts";
import { file_envoy_extensions_filters_http_ext_proc_v3_ext_proc } from "#envoy/extensions/filters/http/ext_proc/v3/ext_proc_pb.ts";
import { file_envoy_extensions_filters_http_grpc_http1_bridge_v3_config } from "#envoy/extensions/filters/http/grpc_http1_bridge/v3/config_pb.ts";
import { file_envoy_extensions_filters_http_grpc_json_transcoder_v3_transcoder } from "#envoy/extensions/filters/http/grpc_json_transcoder/v3/transcoder_pb.ts";
import { file_envoy_extensions_filters_http_header_mutation_v3_header_mutation } from "#envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb.ts";
import { file_envoy_extensions_filters_http_health_check_v3_health_check } from "#envoy/extensions/filters/http/health_check/v3/health_check_pb.ts";
import { file_envoy_extensions_filters_http_ip_tagging_v3_ip_tagging } from "#envoy/extensions/filters/http/ip_tagging/v3/ip_tagging_pb.ts";
import { file_envoy_extensions_filters_http_json_to_metadata_v3_json_to_metadata } from "#envoy/extensions/filters/http/json_to_metadata/v3/json_to_metadata_pb.ts";
import { file_envoy_extensions_filters_http_local_ratelimit_v3_local_rate_limit } from "#envoy/extensions/filters/http/local_ratelimit/v3/local_rate_limit_pb.ts";
import { file_envoy_extensions_filters_http_lua_v3_lua } from "#envoy/extensions/filters/http/lua/v3/lua_pb.ts";
import { file_envoy_extensions_filters_http_oauth2_v3_oauth } from "#envoy/extensions/filters/http/oauth2/v3/oauth_pb.ts";
import { file_envoy_extensions_filters_http_original_src_v3_original_src } from "#envoy/extensions/filters/http/original_src/v3/original_src_pb.ts";
import { file_envoy_extensions_filters_http_ratelimit_v3_rate_limit } from "#envoy/extensions/filters/http/ratelimit/v3/rate_limit_pb.ts";
import { file_envoy_extensions_filters_http_set_filter_state_v3_set_filter_state } from "#envoy/extensions/filters/http/set_filter_state/v3/set_filter_state_pb.ts";
import { file_envoy_extensions_filters_http_set_metadata_v3_set_metadata } from "#envoy/extensions/filters/http/set_metadata/v3/set_metadata_pb.ts";
import { file_envoy_extensions_filters_http_stateful_session_v3_stateful_session } from "#envoy/extensions/filters/http/stateful_session/v3/stateful_session_pb.ts";
import { file_envoy_extensions_http_header_formatters_preserve_case_v3_preserve_case } from "#envoy/extensions/http/header_formatters/preserve_case/v3/preserve_case_pb.ts";
import { file_envoy_extensions_http_stateful_session_cookie_v3_cookie } from "#envoy/extensions/http/stateful_session/cookie/v3/cookie_pb.ts";
import { file_envoy_extensions_http_stateful_session_header_v3_header } from "#envoy/extensions/http/stateful_session/header/v3/header_pb.ts";
import { file_envoy_extensions_filters_http_tap_v3_tap } from "#envoy/extensions/filters/http/tap/v3/tap_pb.ts";
import { file_envoy_extensions_filters_http_wasm_v3_wasm } from "#envoy/extensions/filters/http/wasm/v3/wasm_pb.ts";
import { file_envoy_extensions_filters_listener_local_ratelimit_v3_local_ratelimit } from "#envoy/extensions/filters/listener/local_ratelimit/v3/local_ratelimit_pb.ts";
import { file_envoy_extensions_filters_listener_original_src_v3_original_src } from "#envoy/extensions/filters/listener/original_src/v3/original_src_pb.ts";
import { file_envoy_extensions_filters_listener_proxy_protocol_v3_proxy_protocol } from "#envoy/extensions/filters/listener/proxy_protocol/v3/proxy_protocol_pb.ts";
import { file_envoy_extensions_filters_network_connection_limit_v3_connection_limit } from "#envoy/extensions/filters/network/connection_limit/v3/connection_limit_pb.ts";
import { file_envoy_extensions_filters_network_direct_response_v3_config } from "#envoy/extensions/filters/network/direct_response/v3/config_pb.ts";
import { file_envoy_extensions_filters_network_echo_v3_echo } from "#envoy/extensions/filters/network/echo/v3/echo_pb.ts";
import { file_envoy_extensions_filters_network_local_ratelimit_v3_local_rate_limit } from "#envoy/extensions/filters/network/local_ratelimit/v3/local_rate_limit_pb.ts";
import { file_envoy_extensions_filters_network_mongo_proxy_v3_mongo_proxy } from "#envoy/extensions/filters/network/mongo_proxy/v3/mongo_proxy_pb.ts";
import { file_envoy_extensions_filters_network_ratelimit_v3_rate_limit } from "#envoy/extensions/filters/network/ratelimit/v3/rate_limit_pb.ts";
import { file_envoy_extensions_filters_network_redis_proxy_v3_redis_proxy } from "#envoy/extensions/filters/network/redis_proxy/v3/redis_proxy_pb.ts";
import { file_envoy_extensions_filters_network_set_filter_state_v3_set_filter_state } from "#envoy/extensions/filters/network/set_filter_state/v3/set_filter_state_pb.ts";
import { file_envoy_extensions_filters_network_sni_cluster_v3_sni_cluster } from "#envoy/extensions/filters/network/sni_cluster/v3/sni_cluster_pb.ts";
import { file_envoy_extensions_filters_network_sni_dynamic_forward_proxy_v3_sni_dynamic_forward_proxy } from "#envoy/extensions/filters/network/sni_dynamic_forward_proxy/v3/sni_dynamic_forward_proxy_pb.ts";
import { file_envoy_extensions_filters_network_wasm_v3_wasm } from "#envoy/extensions/filters/network/wasm/v3/wasm_pb.ts";
import { file_envoy_extensions_transport_sockets_proxy_protocol_v3_upstream_proxy_protocol } from "#envoy/extensions/transport_sockets/proxy_protocol/v3/upstream_proxy_protocol_pb.ts";
import { file_envoy_extensions_transport_sockets_quic_v3_quic_transport } from "#envoy/extensions/transport_sockets/quic/v3/quic_transport_pb.ts";
import { file_envoy_extensions_wasm_v3_wasm } from "#envoy/extensions/wasm/v3/wasm_pb.ts";
import { file_udpa_type_v1_typed_struct } from "./gen/udpa/type/v1/typed_struct_pb.ts";
import { file_xds_type_v3_typed_struct } from "#xds/type/v3/typed_struct_pb.ts";

/** The files with these extensions. */
export const EXTENSION_FILES: readonly DescFile[] = [
  file_envoy_extensions_clusters_aggregate_v3_cluster,
  file_envoy_extensions_clusters_dynamic_forward_proxy_v3_cluster,
  file_envoy_extensions_compression_brotli_compressor_v3_brotli,
  file_envoy_extensions_compression_brotli_decompressor_v3_brotli,
  file_envoy_extensions_compression_gzip_compressor_v3_gzip,
  file_envoy_extensions_compression_gzip_decompressor_v3_gzip,
  file_envoy_extensions_filters_http_adaptive_concurrency_v3_adaptive_concurrency,
  file_envoy_extensions_filters_http_admission_control_v3_admission_control,
  file_envoy_extensions_filters_http_bandwidth_limit_v3_bandwidth_limit,
  file_envoy_extensions_filters_http_basic_auth_v3_basic_auth,
  file_envoy_extensions_filters_http_buffer_v3_buffer,
  file_envoy_extensions_filters_http_compressor_v3_compressor,
  file_envoy_extensions_filters_http_csrf_v3_csrf,
  file_envoy_extensions_filters_http_custom_response_v3_custom_response,
  file_envoy_extensions_filters_http_decompressor_v3_decompressor,
  file_envoy_extensions_filters_http_dynamic_forward_proxy_v3_dynamic_forward_proxy,
  file_envoy_extensions_filters_http_ext_proc_v3_ext_proc,
  file_envoy_extensions_filters_http_grpc_http1_bridge_v3_config,
  file_envoy_extensions_filters_http_grpc_json_transcoder_v3_transcoder,
  file_envoy_extensions_filters_http_header_mutation_v3_header_mutation,
  file_envoy_extensions_filters_http_health_check_v3_health_check,
  file_envoy_extensions_filters_http_ip_tagging_v3_ip_tagging,
  file_envoy_extensions_filters_http_json_to_metadata_v3_json_to_metadata,
  file_envoy_extensions_filters_http_local_ratelimit_v3_local_rate_limit,
  file_envoy_extensions_filters_http_lua_v3_lua,
  file_envoy_extensions_filters_http_oauth2_v3_oauth,
  file_envoy_extensions_filters_http_original_src_v3_original_src,
  file_envoy_extensions_filters_http_ratelimit_v3_rate_limit,
  file_envoy_extensions_filters_http_set_filter_state_v3_set_filter_state,
  file_envoy_extensions_filters_http_set_metadata_v3_set_metadata,
  file_envoy_extensions_filters_http_stateful_session_v3_stateful_session,
  file_envoy_extensions_http_header_formatters_preserve_case_v3_preserve_case,
  file_envoy_extensions_http_stateful_session_cookie_v3_cookie,
  file_envoy_extensions_http_stateful_session_header_v3_header,
  file_envoy_extensions_filters_http_tap_v3_tap,
  file_envoy_extensions_filters_http_wasm_v3_wasm,
  file_envoy_extensions_filters_listener_local_ratelimit_v3_local_ratelimit,
  file_envoy_extensions_filters_listener_original_src_v3_original_src,
  file_envoy_extensions_filters_listener_proxy_protocol_v3_proxy_protocol,
  file_envoy_extensions_filters_network_connection_limit_v3_connection_limit,
  file_envoy_extensions_filters_network_direct_response_v3_config,
  file_envoy_extensions_filters_network_echo_v3_echo,
  file_envoy_extensions_filters_network_local_ratelimit_v3_local_rate_limit,
  file_envoy_extensions_filters_network_mongo_proxy_v3_mongo_proxy,
  file_envoy_extensions_filters_network_ratelimit_v3_rate_limit,
  file_envoy_extensions_filters_network_redis_proxy_v3_redis_proxy,
  file_envoy_extensions_filters_network_set_filter_state_v3_set_filter_state,
  file_envoy_extensions_filters_network_sni_cluster_v3_sni_cluster,
  file_envoy_extensions_filters_network_sni_dynamic_forward_proxy_v3_sni_dynamic_forward_proxy,
  file_envoy_extensions_filters_network_wasm_v3_wasm,
  file_envoy_extensions_transport_sockets_proxy_protocol_v3_upstream_proxy_protocol,
  file_envoy_extensions_transport_sockets_quic_v3_quic_transport,
  file_envoy_extensions_wasm_v3_wasm,
  file_udpa_type_v1_typed_struct,
  file_xds_type_v3_typed_struct,
];
