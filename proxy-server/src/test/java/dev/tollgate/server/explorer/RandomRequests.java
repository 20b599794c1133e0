package dev.tollgate.server.explorer;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.server.explorer.RequestFilter.Bounds;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.explorer.RequestFilter.StatusRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Random rows of the view and random filters that match some of them. */
final class RandomRequests {
  private static final List<String> KEYS = List.of("key00001", "key00002", "key00003");
  private static final List<String> MODELS = List.of("a/one", "a/two", "b/three");
  private static final List<String> PROVIDERS = List.of("a", "b");
  private static final List<String> ENDPOINTS = List.of("/v1/chat/completions", "/v1/embeddings");
  private static final List<String> OUTCOMES =
      List.of("ok", "ok", "ok", "ok_estimated", "rejected", "client_abort", "provider_error");
  private static final List<String> CODES = List.of("rate_limited", "provider_error");
  private static final List<String> ADDRESSES = List.of("192.0.2.1", "2001:db8::1");
  private static final List<String> STATUSES = List.of("200", "429", "4xx", "5xx", "404");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Random random;
  private final long from;
  private final long to;

  RandomRequests(long seed, Instant from, Instant to) {
    this.random = new Random(seed);
    this.from = from.toEpochMilli();
    this.to = to.toEpochMilli();
  }

  List<RequestRow> rows(OrgId org, int count) {
    List<RequestRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(row(org));
    }
    return rows;
  }

  private RequestRow row(OrgId org) {
    long at = random.nextLong(from, to);
    String outcome = one(OUTCOMES);
    long cost = random.nextInt(50);
    return new RequestRow(
        Window.at(at).day(),
        RequestId.at(at).value(),
        org,
        new KeyId(one(KEYS)),
        Instant.ofEpochMilli(at),
        maybe(() -> one(ENDPOINTS)),
        maybe(() -> one(MODELS)),
        maybe(() -> one(PROVIDERS)),
        maybe(() -> List.of(200, 400, 429, 502).get(random.nextInt(4))),
        outcome,
        outcome.startsWith("ok") ? null : one(CODES),
        maybe(() -> one(ADDRESSES)),
        new RequestRow.Flags(
            maybe(random::nextBoolean),
            maybe(random::nextBoolean),
            random.nextBoolean(),
            false,
            false),
        random.nextInt(3),
        new RequestRow.Timing(
            maybe(() -> random.nextInt(100)),
            maybe(() -> random.nextInt(100)),
            maybe(() -> random.nextInt(100)),
            maybe(() -> random.nextInt(100))),
        new RequestRow.Tokens(random.nextInt(30), random.nextInt(30), 0, 0),
        cost,
        cost + random.nextInt(2));
  }

  /** Returns a row as an object with its columns. */
  static String json(RequestRow row) {
    return JSON.createObjectNode()
        .put("day", row.day().toString())
        .put("request_id", row.requestId())
        .put("org_id", row.org().toString())
        .put("key_id", row.key().value())
        .put("at", row.at().toString())
        .put("endpoint", row.endpoint())
        .put("model", row.model())
        .put("provider", row.provider())
        .put("status", row.status())
        .put("outcome", row.outcome())
        .put("code", row.code())
        .put("client_ip", row.clientIp())
        .put("stream", row.flags().stream())
        .put("estimated", row.flags().estimated())
        .put("fallback", row.flags().fallback())
        .put("resumed", row.flags().resumed())
        .put("hedged", row.flags().hedged())
        .put("attempts", row.attempts())
        .put("total_ms", row.timing().totalMs())
        .put("ttft_ms", row.timing().ttftMs())
        .put("overhead_us", row.timing().overheadUs())
        .put("upstream_ms", row.timing().upstreamMs())
        .put("prompt_tokens", row.tokens().prompt())
        .put("completion_tokens", row.tokens().completion())
        .put("cached_tokens", row.tokens().cached())
        .put("reasoning_tokens", row.tokens().reasoning())
        .put("cost_micro", row.costMicro())
        .put("operator_cost_micro", row.operatorCostMicro())
        .toString();
  }

  RequestFilter filter(List<RequestRow> rows) {
    long first = random.nextLong(from, to);
    boolean isWide = random.nextInt(4) > 0;
    return new RequestFilter(
        Instant.ofEpochMilli(isWide ? from : first),
        Instant.ofEpochMilli(isWide ? to : random.nextLong(first, to + 1)),
        dimensions(),
        some(STATUSES, 5).stream().map(s -> StatusRange.parse(s).orElseThrow()).toList(),
        new RequestFilter.Flags(
            rarely(random::nextBoolean), rarely(random::nextBoolean), rarely(random::nextBoolean)),
        new Bounds(
            rarely(() -> random.nextLong(50)),
            rarely(() -> random.nextLong(50)),
            rarely(() -> random.nextInt(100)),
            rarely(() -> random.nextInt(100)),
            rarely(() -> random.nextInt(100)),
            rarely(() -> random.nextLong(60))),
        rarely(
            () -> {
              String id = rows.get(random.nextInt(rows.size())).requestId();
              return id.substring(0, random.nextInt(5, id.length() + 1));
            }),
        some(ADDRESSES, 8));
  }

  Dimensions dimensions() {
    return new Dimensions(
        some(KEYS, 3),
        some(MODELS, 3),
        some(PROVIDERS, 4),
        some(ENDPOINTS, 5),
        some(OUTCOMES, 4),
        some(CODES, 6));
  }

  /** Returns one value or two in one of {@code every} cases, else none. */
  private List<String> some(List<String> of, int every) {
    if (random.nextInt(every) > 0) {
      return List.of();
    }
    return random.nextBoolean() ? List.of(one(of)) : List.of(one(of), one(of));
  }

  private String one(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }

  private <T> @Nullable T maybe(Supplier<T> value) {
    return random.nextInt(8) == 0 ? null : value.get();
  }

  private <T> @Nullable T rarely(Supplier<T> value) {
    return random.nextInt(7) == 0 ? value.get() : null;
  }

  static OrgId newOrg() {
    return new OrgId(UUID.randomUUID());
  }
}
