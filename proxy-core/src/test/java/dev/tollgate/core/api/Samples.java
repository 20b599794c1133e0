package dev.tollgate.core.api;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Minimal model, provider and reply stamp. */
public final class Samples {
  static final ProviderId PROVIDER = new ProviderId("acme-eu");
  static final ModelId MODEL = new ModelId("acme", "m1");
  static final String UPSTREAM_MODEL = "m1-2026";
  public static final long CREATED_SECONDS = 1_790_000_000L;
  static final RequestId REQUEST = RequestId.at(CREATED_SECONDS * 1_000);
  public static final PriceList PRICES = PriceList.ofTokens(TokenPrices.of(2_500_000, 10_000_000));

  private Samples() {}

  public static ReplyStamp stamp() {
    return stamp(0);
  }

  public static ReplyStamp stamp(int contextLength) {
    return ReplyStamp.of(MODEL, contextLength, PROVIDER, REQUEST);
  }

  public static Provider provider(boolean streamOptions) {
    return new Provider(
        PROVIDER,
        "openai",
        new EndpointIdentity(false, "127.0.0.1", 1),
        "/v1",
        List.of(),
        Map.of(),
        Provider.ProviderTimeouts.DEFAULT,
        Provider.PoolLimits.DEFAULT,
        Provider.CircuitOptions.DEFAULT,
        new Provider.Quirks(streamOptions, Prefill.NONE),
        new Provider.OnDisconnect.Cancel(),
        1 << 20);
  }

  public static Route route(boolean streamOptions) {
    return new Route(provider(streamOptions), UPSTREAM_MODEL, 1, 1);
  }

  public static Model model() {
    return model(MODEL.toString(), Modality.CHAT, PRICES, 0, 0);
  }

  public static Model model(
      String id, Modality modality, PriceList prices, int contextLength, int outputTokensMax) {
    return new Model(
        ModelId.parse(id).orElseThrow(),
        modality,
        "Name of " + id,
        "About " + id,
        Instant.ofEpochSecond(CREATED_SECONDS),
        contextLength,
        outputTokensMax,
        4_096,
        5_000,
        Set.of("streaming", "tools"),
        prices,
        Resume.OFF,
        false,
        List.of(route(true)),
        Duration.ZERO);
  }
}
