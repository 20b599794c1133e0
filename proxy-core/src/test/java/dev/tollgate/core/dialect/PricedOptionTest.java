package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider.Quirks;
import dev.tollgate.core.catalog.Provider.Rights;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that choose another price, model or route: no provider sees them, however written. */
class PricedOptionTest {
  private static final Quirks ALLOWED = Quirks.NONE.withRights(new Rights(false, true));

  private record Sent(String body, List<String> dropped) {}

  private static Sent sent(String body, Operation operation, Quirks quirks) throws InvalidJson {
    byte[] json = body.getBytes(UTF_8);
    JsonMembers root = JsonMembers.of(json, 0, json.length);
    JsonSplice edits = JsonSplice.of(root);
    List<String> dropped = PricedOption.drop(root, operation, quirks, edits);
    ByteBuf out = Unpooled.buffer();
    edits.writeTo(out);
    return new Sent(out.toString(UTF_8), dropped);
  }

  private static Sent chat(String body) throws InvalidJson {
    return sent(body, Operation.CHAT, Quirks.NONE);
  }

  @ParameterizedTest
  @EnumSource
  void eachIsDroppedWhereItIsKnownAndPassesElsewhere(PricedOption option) throws InvalidJson {
    String body = "{ \"a\" : 1.0, \"%s\":{\"x\":[1]} ,\"\\u0062\":[ ]}".formatted(option.wire());
    for (Operation operation : Operation.values()) {
      Sent sent = sent(body, operation, Quirks.NONE);
      assertThat(sent.body().contains(option.wire() + "\":{\"x"))
          .isEqualTo(!option.concerns(operation));
      assertThat(sent.dropped().isEmpty()).isEqualTo(!option.concerns(operation));
      assertThat(sent.body()).startsWith("{ \"a\" : 1.0,").endsWith("\"\\u0062\":[ ]}");
      assertThat(sent(body, operation, ALLOWED)).isEqualTo(new Sent(body, List.of()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "service_tier",
        "Service_Tier",
        "SERVICE_TIER",
        "\\u0073ervice_tier",
        "s\\u0045rvice\\u005ftier",
        "\u017fervice_tier",
        "\\u017fervice_tier"
      })
  void spellingsAreTheSameName(String name) throws InvalidJson {
    Sent sent = chat("{\"" + name + "\":\"priority\",\"x\":1}");
    assertThat(sent.body()).isEqualTo("{\"x\":1}");
    assertThat(sent.dropped()).hasSize(1);
  }

  @Test
  void allOfSeveralAreDropped() throws InvalidJson {
    Sent sent =
        chat(
            "{\"service_tier\":\"default\",\"models\":[\"a\"],\"service_tier\":\"priority\",\"x\":1,"
                + "\"models\":[\"b\"],\"Models\":[\"c\"]}");
    assertThat(sent.body()).isEqualTo("{\"service_tier\":\"default\",\"x\":1}");
    assertThat(sent.dropped()).containsExactly("models", "service_tier", "Models");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'service_tier':'auto'}",
        "{'service_tier':'default'}",
        "{'service_tier':'flex'}",
        "{'service_tier':'\\u0066lex'}",
        "{'service_tier':null,'models':null,'enable_search':false}",
        "{'extra_body':{'google':{'thinking_config':{}}}}",
        "{'metadata':{'models':'a'},'modelz':1,'route_':1,'reasoning':{'effort':'low'}}"
      })
  void whatCostsNoMorePasses(String body) throws InvalidJson {
    String json = body.replace('\'', '"');
    assertThat(chat(json)).isEqualTo(new Sent(json, List.of()));
  }

  @Test
  void anExtraBodyKeepsGooglesPartOnly() throws InvalidJson {
    Sent sent =
        chat(
            "{\"extra_body\":{ \"model\":\"m\",\"google\": {},\"service_tier\":\"auto\"},\"x\":1}");
    assertThat(sent.body()).isEqualTo("{\"extra_body\":{\"google\": {}},\"x\":1}");
    assertThat(sent.dropped()).containsExactly("extra_body.model", "extra_body.service_tier");
  }

  @ParameterizedTest
  @CsvSource({
    "service_tier, priority, true",
    "Service_Tier, priority, true",
    "service_tier, auto, false",
    "service_tier, '', false",
    "models[], a, true",
    "models[0], a, true",
    "plugins[0][id], web, true",
    "provider_options.gateway, x, true",
    "width, 9, false",
    "language, de, false"
  })
  void fieldsOfFormsAreMembers(String field, String value, boolean isDropped) {
    Operation operation = Operation.TRANSCRIPTION;
    assertThat(PricedOption.isDropped(field, () -> value, operation, Quirks.NONE))
        .isEqualTo(isDropped);
    assertThat(PricedOption.isDropped(field, () -> value, operation, ALLOWED)).isFalse();
  }
}
