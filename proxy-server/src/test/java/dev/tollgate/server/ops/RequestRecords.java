package dev.tollgate.server.ops;

import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.HedgeOutcome;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.AttemptRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.PhaseEntry;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Records of ended requests for tests of logs and metrics. */
final class RequestRecords {
  static final ModelId MODEL = new ModelId("mock", "chat");
  static final ProviderId PROVIDER = new ProviderId("mock");
  static final RequestId ID = RequestId.at(1_763_640_000_123L);
  static final ApiKey KEY =
      new ApiKey(
          new KeyId("k3yId001"),
          "laptop",
          "Wxyz",
          new Org(new OrgId(new UUID(0, 7)), "demo", Org.State.ACTIVE, null),
          KeyState.ACTIVE,
          null,
          ApiKey.KeyScope.ALL,
          ApiKey.KeyLimits.DEFAULT);

  /** By which the requests cost 42 micro-USD. */
  static final PriceList PRICES = PriceList.ofTokens(TokenPrices.of(327_272, 600_000));

  private RequestRecords() {}

  /** Returns a catalog of one model at one provider. */
  static Catalog catalog() {
    var provider =
        new Provider(
            PROVIDER,
            "openai",
            new EndpointIdentity(false, "127.0.0.1", 1),
            "/v1",
            List.of(),
            Map.of(),
            Provider.ProviderTimeouts.DEFAULT,
            Provider.PoolLimits.DEFAULT,
            Provider.CircuitOptions.DEFAULT,
            Provider.Quirks.NONE,
            new Provider.OnDisconnect.Cancel(),
            1 << 20);
    var model =
        new Model(
            MODEL,
            Modality.CHAT,
            "Mock",
            "",
            Instant.EPOCH,
            0,
            0,
            4096,
            5_000,
            Set.of("streaming"),
            PriceList.FREE,
            Resume.OFF,
            false,
            List.of(new Route(provider, "mock", 1, 100)),
            Duration.ZERO);
    return new Catalog(List.of(provider), List.of(model));
  }

  /** Returns a successful stream. */
  static RequestRecord streamed() {
    return record(
        "/v1/chat/completions", 200, RequestOutcome.OK, null, KEY, served(MODEL, PROVIDER));
  }

  /** Returns a stream that is charged with 42 and whose provider reports another cost. */
  static RequestRecord costing(long reportedMicro) {
    return costing(PRICES, reportedMicro);
  }

  /** Returns a stream that is charged with 42, at a route with these costs. */
  static RequestRecord costing(PriceList operatorPrices, long reportedMicro) {
    Served fine = served(MODEL, PROVIDER);
    Usage usage = fine.usage().withReportedCost(reportedMicro);
    return record(
        "/v1/chat/completions",
        200,
        RequestOutcome.OK,
        null,
        KEY,
        new Served(
            MODEL,
            true,
            PROVIDER,
            fine.routing(),
            fine.summary(),
            Charge.of(List.of(new PricedUsage(usage, List.of(), PRICES, operatorPrices))),
            fine.timing()));
  }

  /** Returns a request refused before authentication. */
  static RequestRecord refused(String route, ErrorCode code) {
    return record(route, code.status(), RequestOutcome.REJECTED, code, null, null);
  }

  static RequestRecord record(
      String route,
      int status,
      RequestOutcome ending,
      @Nullable ErrorCode code,
      @Nullable ApiKey key,
      @Nullable Served served) {
    return new RequestRecord(
        ID,
        Duration.ofMillis(840),
        new RequestRecord.HttpSummary("203.0.113.7", "POST", route, status, 321, 4567),
        ending,
        code,
        null,
        key,
        served);
  }

  /** Returns a request refused for one field. */
  static RequestRecord refusedField(String param) {
    RequestRecord refused = refused("/v1/chat/completions", ErrorCode.VALIDATION_FAILED);
    return new RequestRecord(
        ID, refused.total(), refused.http(), refused.outcome(), refused.code(), param, KEY, null);
  }

  /** Returns a stream with two dropped events that broke off. */
  static RequestRecord broken() {
    Served fine = served(MODEL, PROVIDER);
    var attempt =
        new AttemptRecord(
            PROVIDER,
            new RequestRecord.Result(
                "interrupted", 200, 212_345, Duration.ofMillis(812), "Connection reset", ""),
            2,
            EnumSet.of(ProtocolAnomaly.USAGES_DIFFER, ProtocolAnomaly.USAGE_UNSOUND),
            "",
            1,
            List.of("seed", "tools[1]"),
            null);
    return record(
        "/v1/chat/completions",
        200,
        RequestOutcome.STREAM_INTERRUPTED,
        ErrorCode.STREAM_INTERRUPTED,
        KEY,
        new Served(
            MODEL,
            true,
            PROVIDER,
            fine.routing(),
            new RequestRecord.AttemptsSummary(List.of(attempt), ResumeOutcome.NO, HedgeOutcome.NO),
            fine.charge(),
            fine.timing()));
  }

  static Served served(ModelId model, ProviderId provider) {
    return new Served(
        model,
        true,
        provider,
        "strategy=priority selected=mock priority=1 cost_micro=42 healthy=true fallbacks=none",
        new RequestRecord.AttemptsSummary(
            List.of(
                new AttemptRecord(
                    provider,
                    new RequestRecord.Result("ok", 200, 212_345, Duration.ofMillis(812), "", ""),
                    0,
                    Set.of(),
                    "",
                    0,
                    List.of(),
                    null)),
            ResumeOutcome.NO,
            HedgeOutcome.NO),
        charge(),
        new RequestRecord.Timing(
            Duration.ofMillis(51),
            Duration.ofMillis(812),
            Duration.ofNanos(212_345),
            List.of(new PhaseEntry("admitted", 0), new PhaseEntry("relaying", 51_000_000))));
  }

  private static Charge charge() {
    var usage = new Usage(11, 64, 3, 0, 0, 0, 5, 0, 0, false);
    return Charge.of(List.of(new PricedUsage(usage, List.of(), PRICES)));
  }
}
