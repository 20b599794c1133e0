package dev.tollgate.server.bench;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An organization with money and keys, in a store that is measured. */
record Payers(String name, List<ApiKey> keys) {

  static Payers of(Store store, int keys) throws Exception {
    String name = keys == 1 ? "one key" : keys + " keys";
    store.organizations().create(name, null);
    var org = store.organizations().find(name).orElseThrow().org();
    var _ = store.credits().grant(org.id(), new MicroUsd(1_000_000_000_000L), name, "bench");
    List<ApiKey> made = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      var wish = new ApiKeys.ApiKeySpec("key" + i, KeyScope.ALL, KeyLimits.DEFAULT, null);
      made.add(
          ((ApiKeys.KeyCreation.Created) store.apiKeys().create(org.id(), wish, 0)).key().key());
    }
    return new Payers(name, made);
  }

  ApiKey key(long request) {
    return keys.get((int) (request % keys.size()));
  }

  private static final String PHASES =
      Stream.of("admitted", "reserving", "connecting", "waiting", "relaying", "settling")
          .map("{\"phase\":\"%s\",\"at_ms\":12.345}"::formatted)
          .collect(Collectors.joining(","));

  /** Behind the request's id. */
  private static final String REST =
      """
      ","method":"POST","route":"/v1/chat/completions","status":200,"outcome":"ok",\
      "client_ip":"203.0.113.7","total_ms":840.123,\
      "org":"00000000-0000-0000-0000-000000000007","key_id":"k3yId001","key_last4":"Wxyz",\
      "model":"mock/chat","provider":"mock","stream":true,"ttft_ms":51.234,\
      "upstream_ms":812.345,"overhead_ms":0.212,"prompt_tokens":1000,"completion_tokens":200,\
      "estimated":false,"cost_micro":420,"attempts":[{"provider":"mock","outcome":"ok",\
      "status":200,"at_ms":0.412,"ms":812.345}],"phases":[%s],"request_bytes":4321,"response_bytes":2567}\
      """
          .formatted(PHASES);

  /** A line of the request log, as long as that of a plain request. */
  static byte[] row(RequestId request) {
    return ("{\"ts\":\"2026-11-20T12:00:00.123Z\",\"request_id\":\"" + request + REST)
        .getBytes(StandardCharsets.US_ASCII);
  }
}
