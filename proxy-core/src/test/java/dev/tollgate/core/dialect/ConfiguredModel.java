package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.Thinking;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.dialect.tool.ClientTools;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A model of a foreign dialect as it is configured, which is asked for chats. */
public record ConfiguredModel(
    String dialect,
    String name,
    int outputMax,
    Set<String> capabilities,
    Thinking thinking,
    boolean sampling) {
  public static ConfiguredModel of(String dialect, String name) {
    return new ConfiguredModel(dialect, name, 0, Set.of(), Thinking.AUTO, true);
  }

  ConfiguredModel named(String other) {
    return new ConfiguredModel(dialect, other, outputMax, capabilities, thinking, sampling);
  }

  ConfiguredModel able(String... others) {
    return new ConfiguredModel(dialect, name, outputMax, Set.of(others), thinking, sampling);
  }

  ConfiguredModel atMost(int tokens) {
    return new ConfiguredModel(dialect, name, tokens, capabilities, thinking, sampling);
  }

  ConfiguredModel thinking(Thinking other) {
    return new ConfiguredModel(dialect, name, outputMax, capabilities, other, sampling);
  }

  /** What its provider gets of a chat, which stays as it is. */
  public TranslatedRequest of(String chat) throws InvalidJson {
    return of(chat, Provider.Rights.NONE);
  }

  /** The same where clients may do this with its account. */
  TranslatedRequest of(String chat, Provider.Rights rights) throws InvalidJson {
    byte[] json = chat.getBytes(UTF_8);
    byte[] before = json.clone();
    Route route = route(rights);
    ChatTranslation translation = Dialects.named(dialect).translation().orElseThrow();
    TranslatedRequest translated =
        ClientTools.converted(JsonMembers.of(json, 0, json.length), translation.toolNames())
            .translated(translation, route, model(route));
    assertThat(json).as("the original").isEqualTo(before);
    return translated;
  }

  /** Whether it continues an answer that this chat ends with. */
  boolean takesPrefill(String chat) throws InvalidJson {
    byte[] json = chat.getBytes(UTF_8);
    ChatTranslation translation = Dialects.named(dialect).translation().orElseThrow();
    return translation.takesPrefill(JsonMembers.of(json, 0, json.length), route(), model(route()));
  }

  /** The route that its chats take. */
  Route route() {
    return route(Provider.Rights.NONE);
  }

  private Route route(Provider.Rights rights) {
    return new Route(provider(rights), name, 1, 1);
  }

  private Provider provider(Provider.Rights rights) {
    return new Provider(
        new ProviderId("p"),
        dialect,
        new EndpointIdentity(false, "127.0.0.1", 1),
        "",
        List.of(),
        Map.of(),
        Provider.ProviderTimeouts.DEFAULT,
        Provider.PoolLimits.DEFAULT,
        Provider.CircuitOptions.DEFAULT,
        new Provider.Quirks(true, Prefill.NONE, thinking, sampling, rights),
        new Provider.OnDisconnect.Cancel(),
        1 << 20);
  }

  private Model model(Route route) {
    return new Model(
        new ModelId("p", "m"),
        Modality.CHAT,
        "m",
        "",
        Instant.EPOCH,
        200_000,
        outputMax,
        4_096,
        5_000,
        capabilities,
        PriceList.ofTokens(TokenPrices.of(1, 1)),
        Resume.OFF,
        false,
        List.of(route),
        Duration.ZERO);
  }
}
